// The link of the first message: a terminal gets one that signs in, once, and a file gets none.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import t from 'tap'
import { until } from '../support/http.ts'
import { adminToken, spawnServer } from '../support/server.ts'

const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')
// `script` of util-linux runs a command in a terminal of its own.
const isMissing = spawnSync('script', ['--version']).status !== 0
const skip = isMissing ? 'there is no command `script`, which makes a terminal' : false

const logIn = async (url: string, ticket: string) =>
  (
    await fetch(`${url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket }),
    })
  ).status

t.test('the link that a terminal gets signs in once', { skip }, async t => {
  const env = { PATH: process.env.PATH, PORT: '0', ADMIN_TOKEN: adminToken, DATA_DIR: t.testdir() }
  const command = `exec "${process.execPath}" "${bin}" serve`
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = once(terminal, 'close')
  let shown = ''
  terminal.stdout.on('data', chunk => (shown += chunk))
  t.teardown(async () => {
    terminal.stdin.write('\u0003') // Ctrl-C in the terminal stops the server
    const timer = setTimeout(() => terminal.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(timer)
  })
  const link = () => /(http:\/\/\S+)\/ui#login=(\S+) \(for a minute, once/.exec(shown)
  await until(() => link() !== null)
  const [, url = '', ticket = ''] = link() ?? []
  t.equal(await logIn(url, ticket), 200)
  t.equal(await logIn(url, ticket), 401, 'a second time it signs nobody in')
})

t.test('output that goes elsewhere has the address of the console, and no link that signs in', async t => {
  const { stdout, url } = await spawnServer(t, t.testdir())
  t.match(stdout(), `Console    ${url}/ui\n`)
  t.notMatch(stdout(), 'login=')
})
