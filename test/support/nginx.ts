// A real nginx in front of a server, with the configuration of deploy/nginx.conf. It is found on PATH, or installed once.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../src/platform/free-port.ts'
import { pause } from './http.ts'
import { programOf } from './programs.ts'

const program = programOf('nginx', { debian: 'nginx-light', brew: 'nginx' })
/** False, or the reason for which tests that need nginx are skipped. */
export const noNginx =
  program === undefined
    ? 'there is no nginx, and it could not be installed: apt-get install nginx-light, or brew install nginx'
    : false
export const noOpenssl = spawnSync('openssl', ['version']).status === 0 ? false : 'there is no openssl'

// In whatever way the tests end, no nginx is left running.
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})

const given = readFileSync(path.resolve(import.meta.dirname, '../../deploy/nginx.conf'), 'utf8')
const replaced = (text: string, old: string, by: string): string => {
  if (!text.includes(old)) throw new Error(`deploy/nginx.conf does not contain ${old}`)
  return text.replaceAll(old, by)
}

/**
 * `location`: the path below which the server is. `isPassedOn`: whether nginx leaves the path in requests. `host`: the
 * header `Host` that the server gets. `withoutSockets`: nginx forwards no upgrades. `isSecure`: with TLS. `beside`: the
 * path and the address of another server behind the same nginx.
 */
type Wish = {
  port?: number
  location?: string
  isPassedOn?: boolean
  host?: string
  withoutSockets?: boolean
  isSecure?: boolean
  beside?: [string, string]
}

const configuration = (port: number, upstream: string, folder: string, wish: Wish): string => {
  const { location = '/reprise/', isPassedOn = false, host, withoutSockets = false, isSecure = false } = wish
  let text = replaced(
    given,
    'listen 80;',
    isSecure ? `listen 127.0.0.1:${port} ssl;` : `listen 127.0.0.1:${port};`,
  )
  text = replaced(text, 'location /reprise/ {', `location ${location} {`)
  text = replaced(text, 'http://127.0.0.1:8080/;', isPassedOn ? `${upstream};` : `${upstream}/;`)
  if (host !== undefined) text = replaced(text, '$http_host', host)
  if (withoutSockets) text = replaced(text, 'Upgrade $http_upgrade', "Upgrade ''")
  if (wish.beside !== undefined) {
    const [where, other] = wish.beside
    text = replaced(text, 'server_name _;', `server_name _;\nlocation ${where} { proxy_pass ${other}/; }`)
  }
  const certificate = isSecure
    ? `ssl_certificate ${folder}/cert.pem;\nssl_certificate_key ${folder}/key.pem;`
    : ''
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${path.join(folder, name)};`,
  )
  return `${process.getuid?.() === 0 ? 'user root;\n' : ''}daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr error;
events {}
http {
access_log off;
${own.join('\n')}
${certificate}
${text}
}
`
}

const makeCertificate = (folder: string): void => {
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`]
  const { status, stderr } = spawnSync('openssl', [...made, ...files], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl: ${stderr}`)
}

/** Starts nginx in front of the server at `upstream`. It stops when the test ends. */
export const nginxBefore = async (t: Test, upstream: string, wish: Wish = {}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-nginx-'))
  const port = wish.port ?? (await freePort())
  if (wish.isSecure === true) makeCertificate(folder)
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(file, configuration(port, upstream, folder, wish))
  const child = spawn(program ?? '', ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  running.add(child)
  const ended = once(child, 'exit')
  let output = ''
  child.stderr?.on('data', chunk => (output += chunk))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
    running.delete(child)
    rmSync(folder, { recursive: true, force: true })
  })
  const origin = `${wish.isSecure === true ? 'https' : 'http'}://127.0.0.1:${port}`
  const listens = () =>
    fetch(origin).then(
      () => true,
      error => !/ECONNREFUSED/.test(String((error as Error & { cause?: Error }).cause)),
    )
  while (!(await listens())) {
    if (child.exitCode !== null) throw new Error(`nginx did not start: ${output}`)
    await pause(10)
  }
  const prefix = (wish.location ?? '/reprise/').replace(/\/$/, '')
  return { origin, url: origin + prefix, output: () => output }
}
