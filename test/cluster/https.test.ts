// Nodes that reach each other by https: a certificate of an authority that Node does not know counts when the operator names
// the authority, and otherwise not.
import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is missing'
const child = path.join(import.meta.dirname, 'https-child.ts')

t.test('a certificate counts when its authority is named with NODE_EXTRA_CA_CERTS', { skip }, async t => {
  const folder = t.testdir()
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=node', '-addext', 'subjectAltName=IP:127.0.0.1']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert]
  t.equal(spawnSync('openssl', [...made, ...subject]).status, 0)
  const tls = { key: readFileSync(key), cert: readFileSync(cert) }
  const server = createServer(tls, (_, response) => response.end('ok')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async (env: Record<string, string>) => {
    const args = [child, url]
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { PATH: process.env.PATH, ...env },
    })
    return JSON.parse(stdout) as object
  }
  t.match(await ask({}), { asked: 'self-signed certificate', passed: 'self-signed certificate' })
  t.same(await ask({ NODE_EXTRA_CA_CERTS: cert }), { asked: 'ok', passed: '200' })
})
