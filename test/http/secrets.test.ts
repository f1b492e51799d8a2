// The values of env are nowhere but in secrets.db, and there only while they are needed.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { follow } from '../support/sse.ts'

const server = await serveHere(t, { LOG_LEVEL: 'debug' })
const { api, dataDir } = server
const script = [{ message: 'working on it', delta_ms: 20 }, { sleep_ms: 60_000 }]
const slow = { user_message_content: 'x', stream: false, background: true }

/** The files of the data folder, the ones beside a database included, that hold a text in any encoding of ours. */
const filesWith = (text: string): string[] =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))
    .filter(file => {
      const bytes = readFileSync(file)
      return [
        text,
        Buffer.from(text).toString('base64').slice(0, 20),
        Buffer.from(text).toString('hex'),
      ].some(form => bytes.includes(form))
    })
    .map(file => path.basename(file))

const secret = (name: string) => `sEcReT-${name}-${'0123456789'.repeat(3)}`
const body = (name: string) => ({
  env: { PLAIN: secret(`${name}-plain`), NESTED: { inner: [secret(`${name}-nested`)] } },
  agent_config: {
    agent_id: 'script',
    script,
    tool_mcp_config: {
      mcpServers: {
        a: { url: 'https://tools.example/mcp', headers: { Authorization: secret(`${name}-header`) } },
      },
    },
  },
})

t.test('while the task works they are in secrets.db alone, which nobody else may read', async t => {
  const { body: made } = await read(api('POST', '/tasks', { ...slow, ...body('a') }))
  t.equal(made.result.status, 'working')
  for (const name of ['a-plain', 'a-nested', 'a-header'])
    t.same(filesWith(secret(name)), ['secrets.db'], name)
  t.equal(statSync(path.join(dataDir, 'secrets.db')).mode & 0o777, 0o600)
  await read(api('POST', `/tasks/${made.result.id}/cancel`))
  for (const name of ['a-plain', 'a-nested', 'a-header']) {
    await until(() => filesWith(secret(name)).length === 0)
    t.pass(`${name} is gone when the task has ended`)
  }
})

const silent = (t: Test, text: string, what: string) => t.notMatch(text, 'sEcReT', what)

t.test('no answer and no frame holds one', async t => {
  const made = await read(api('POST', '/tasks', { ...slow, ...body('b') }))
  const where = `/tasks/${made.body.result.id}`
  silent(t, made.text, 'create')
  for (const [method, at] of [
    ['GET', where],
    ['GET', '/tasks'],
    ['GET', `${where}/events`],
    ['POST', `${where}/pause`],
    ['POST', `${where}/cancel`],
    ['DELETE', where],
  ] as const) {
    silent(t, (await read(api(method, at))).text, `${method} ${at}`)
  }
  const agent_config = { ...body('c').agent_config, script: [{ message: 'done' }] }
  const stream = await follow(api('POST', '/tasks', { ...slow, ...body('c'), agent_config, stream: true }))
  silent(t, await stream.rest(), 'stream')
})

t.test('an invalid request does not quote one, and a refused one does not keep it', async t => {
  for (const wrong of [{ stream: 5 }, { env: secret('d') }, { metadata: { reason: 1 } }]) {
    const { status, text } = await read(api('POST', '/tasks', { ...slow, ...body('d'), ...wrong }))
    t.equal(status, 422)
    silent(t, text, JSON.stringify(wrong))
  }
  const cut = `{"stream": false, "env": {"A": "${secret('d')}`
  const { status, text } = await read(api('POST', '/tasks', cut))
  t.equal(status, 422)
  silent(t, text, 'malformed JSON')
  const odd = `{"env": {"A": ${secret('d')} }`
  silent(t, (await read(api('POST', '/tasks', odd))).text, 'a value without quotes')
  t.same(filesWith('sEcReT-d'), [])
})

t.test('a conflict leaves none behind', async t => {
  const first = { ...slow, task_id: 'twice', agent_config: { agent_id: 'script', script } }
  t.equal((await read(api('POST', '/tasks', first))).status, 200)
  const second = await read(api('POST', '/tasks', { ...first, env: { A: secret('e') } }))
  t.equal(second.status, 409)
  t.same(filesWith(secret('e')), [])
})

t.test('what the operator reads holds none', async t => {
  silent(t, JSON.stringify(server.lines), 'lines')
})

t.test('what the log keeps of env are names and ***', async t => {
  const agent_config = { agent_id: 'echo' }
  await read(
    api('POST', '/tasks', { ...slow, background: false, agent_config, env: { NAME_KEPT: secret('f') } }),
  )
  t.same(filesWith(secret('f')), [])
  t.ok(filesWith('NAME_KEPT').some(file => file.startsWith('log.db')))
  t.ok(filesWith('"NAME_KEPT":"***"').some(file => file.startsWith('log.db')))
})
