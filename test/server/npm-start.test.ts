// `npm start` stands between whoever stops the server and the server itself.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'

const starting = async (t: Test) => {
  const dataDir = t.testdir()
  const npm = spawn('npm', ['start'], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    env: { ...process.env, NODE_OPTIONS: '', DATA_DIR: dataDir, PORT: '0', ADMIN_TOKEN: 'npm-start' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  t.teardown(() => {
    try {
      process.kill(-(npm.pid ?? 0), 'SIGKILL')
    } catch {
      // It has ended, as it should.
    }
  })
  let said = ''
  npm.stdout.on('data', chunk => (said += chunk))
  npm.stderr.on('data', chunk => (said += chunk))
  while (!said.includes('Try it:')) await once(npm.stdout, 'data')
  const { url } = JSON.parse(readFileSync(path.join(dataDir, 'server.json'), 'utf8')) as { url: string }
  t.equal((await fetch(`${url}/readyz`)).status, 200)
  return { npm, url, said: () => said }
}

t.test('a SIGTERM to npm start reaches the server, which drains and ends with 0', async t => {
  const { npm, url, said } = await starting(t)
  npm.kill('SIGTERM')
  t.same(await once(npm, 'exit'), [0, null])
  t.match(said(), /draining 0 running tasks/)
  await t.rejects(fetch(`${url}/readyz`), 'nobody is left behind')
})

// A terminal sends Ctrl-C to all that run in it, and npm passes it on once more.
t.test('Ctrl-C drains, though the server hears of it twice', async t => {
  const { npm, url } = await starting(t)
  const answer = await fetch(`${url}/v1/tasks`, {
    method: 'POST',
    headers: { authorization: 'Bearer npm-start', 'content-type': 'application/json' },
    body: JSON.stringify({
      user_message_content: 'hello',
      stream: false,
      background: true,
      agent_config: { agent_id: 'script', script: [{ sleep_ms: 500 }, { message: 'done' }] },
    }),
  })
  t.equal(answer.status, 200)
  process.kill(-(npm.pid ?? 0), 'SIGINT')
  t.same(await once(npm, 'exit'), [0, null])
})
