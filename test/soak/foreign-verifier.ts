// A verifier that is not ours, golang.org/x/mod/sumdb as Debian ships it, checks a running server: checkpoint, tiles,
// headers, proofs of inclusion and of consistency. EVENTS=n changes how many events the log has at least.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { adminToken, launch } from '../support/server.ts'

const packages = '/usr/share/gocode'
const wanted = Number(process.env.EVENTS ?? 600)

const fail = (text: string): never => {
  console.log(`foreign-verifier: ${text}`)
  process.exit(1)
}
if (
  spawnSync('go', ['version']).status !== 0 ||
  !existsSync(path.join(packages, 'src/golang.org/x/mod/sumdb/tlog'))
)
  fail('needs Go and its package mod: apt-get install golang-go golang-golang-x-mod-dev')

const folder = mkdtempSync(path.join(tmpdir(), 'reprise-foreign-'))
const program = path.join(folder, 'verifier')
const env = {
  ...process.env,
  GO111MODULE: 'off',
  GOPATH: packages,
  GOCACHE: path.join(folder, 'cache'),
  GOFLAGS: '',
}
const source = path.join(import.meta.dirname, 'foreign-verifier/main.go')
const built = spawnSync('go', ['build', '-o', program, source], { env, encoding: 'utf8' })
if (built.status !== 0) fail(built.stderr)

const server = await launch(path.join(folder, 'data'), {})
const text = async (where: string) => (await server.api('GET', `/audit/${where}`)).text()
const sizeOf = async () => Number((await text('checkpoint')).split('\n')[1])
const body = { user_message_content: 'x', client_id: 'echo', stream: false }
while ((await sizeOf()) < wanted)
  for (let n = 0; n < 20; n++) await (await server.api('POST', '/tasks', body)).text()
const [key = ''] = (await text('public-key')).split(' ')
const { status, stdout, stderr } = spawnSync(program, [server.url, adminToken, key], { encoding: 'utf8' })
console.log(`foreign-verifier: ${stdout.trim()}${stderr.trim()}`)
await server.end('SIGKILL')
rmSync(folder, { recursive: true, force: true })
process.exit(status === 0 ? 0 : 1)
