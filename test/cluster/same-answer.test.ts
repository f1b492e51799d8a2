// A request that is sent again because its owner was lost has the answer that the owner would have given, and has done
// nothing twice: with the real routes, over a log that outlives the first owner.
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tap, { type Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { createFront } from '../../src/front/front.ts'
import { openFolder } from '../../src/shard/opening/open-folder.ts'
import { createShard } from '../../src/shard/shard.ts'
import { read } from '../support/http.ts'
import { adminToken, apiOf } from '../support/server.ts'
import { moment, nodeHere } from './nodes-here.ts'

/** The routes of a server that listens nowhere. */
const routesHere = async (t: Test) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-test-'))
  const config = readConfig({ ADMIN_TOKEN: adminToken, DATA_DIR: folder, ENV_UID_BASE: '0', PORT: '0' })
  const opened = await openFolder(config, () => {})
  const front = await createFront(
    config,
    createShard(config, opened, () => {}),
    () => {},
  )
  t.teardown(async () => {
    await front.drain(0)
    await front.app.close()
    await front.close()
    opened.unlock()
    rmSync(folder, { recursive: true, force: true })
  })
  return (request: IncomingMessage, response: ServerResponse) =>
    void front.app.server.emit('request', request, response)
}

/** Lets the routes answer into nothing, and says when the answer begins. */
const unheard = (response: ServerResponse, answered: () => void): ServerResponse =>
  Object.assign(response, {
    write: () => {
      answered()
      return true
    },
    end() {
      answered()
      return response
    },
  })

type Asked = [where: string, body: object]

tap.test('each operation that takes keys gives its answer after all, and does nothing twice', async t => {
  const routes = await routesHere(t)
  const c = await nodeHere(t, { name: 'c', owner: 'me', request: routes })
  const sure = apiOf(c.url)
  const idOf = async (where: string, body: object): Promise<string> => {
    const made = JSON.parse((await read(sure('POST', where, body))).text)
    return made.result?.id ?? made.job_id
  }
  const echo = { user_message_content: 'hello', client_id: 'echo', stream: false }
  const task = await idOf('/tasks', echo)
  const atWork = await idOf('/tasks', {
    ...echo,
    background: true,
    agent_config: { agent_id: 'script', script: [{ sleep_ms: 600_000 }, { message: 'done' }] },
  })
  const job = { name: 'a', schedule: '@yearly', overlap: 'allow', task: echo }
  const jobId = await idOf('/cron/jobs', job)
  await sure('POST', '/env/create', { env_id: 'gridworld', session_id: 'maze' })
  const step = { session_id: 'maze', tool_name: 'move', tool_args: { direction: 'east' }, stream: false }
  const all: Asked[] = [
    ['/tasks', echo],
    ['/tasks', { ...echo, stream: true, user_message_content: 'a stream' }],
    [`/tasks/${atWork}/messages`, { content: 'more' }],
    [`/tasks/${task}/fork`, { at: 1 }],
    ['/env/create', { env_id: 'gridworld' }],
    ['/env/step', step],
    ['/env/reset', { session_id: 'maze' }],
    ['/cron/jobs', { ...job, name: 'b' }],
    [`/cron/jobs/${jobId}/trigger`, {}],
    ['/webhooks', { url: 'https://hooks.example/a', types: ['TaskCreated'] }],
  ]
  for (const [n, [where, body]] of all.entries()) {
    const answered = moment()
    const a = await nodeHere(t, {
      name: 'a',
      owner: 'me',
      request: (request, response) => routes(request, unheard(response, answered.happen)),
    })
    const b = await nodeHere(t, { name: 'b', owner: { url: a.url }, request: routes })
    const key = { 'idempotency-key': `key ${n}` }
    const answer = read(apiOf(b.url)('POST', where, body, key))
    await answered.came
    a.die()
    b.become('me')
    const got = await answer
    t.equal(got.status, 200, `${where} ${got.text}`)
    t.equal(got.headers.get('idempotency-replayed'), 'true', `${where} was done by the first owner`)
    const again = await read(sure('POST', where, body, key))
    // The run that a trigger has started may end between the two answers, which show it as it is.
    const plain = (text: string) =>
      text
        .replace(/"(id|request_id)":"req_\w+"/g, '')
        .replace(/^: .*\n/gm, '')
        .replace(/"ended_at":.*?"status":"\w+"/g, '')
    t.equal(plain(got.text), plain(again.text), `${where} has one answer`)
    b.die()
  }
})
