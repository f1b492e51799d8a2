// What a repeated request gets, on every surface that takes an `Idempotency-Key`: the same rules, and the few differences.
import t from 'tap'
import { counter, modules } from '../http/env-calls.ts'
import { type Body, read } from '../support/http.ts'
import { type Api, adminToken, apiOf, runReprise, serveHere } from '../support/server.ts'

const env = { DATA_DIR: t.testdir(), ENV_PATH: modules, ALLOW_PRIVATE_URLS: '1' }
const serve = () => serveHere(t, env)
let server = await serve()
const tokens: string[] = []
for (const name of ['one', 'two']) {
  const { body } = await read(server.api('POST', '/auth/tokens', { role: 'user', user_id: 'ann', name }))
  tokens.push((body as unknown as { token: string }).token)
}
/** Two tokens of one user. */
const ann = (): Api => apiOf(server.url, tokens[0])
const annToo = (): Api => apiOf(server.url, tokens[1])
const admin = (): Api => apiOf(server.url, adminToken)

const marked = { 'x-stainless-retry-count': '1' }
const keyed = (key: string) => ({ 'idempotency-key': key })
const send = async (api: Api, where: string, body?: object, headers?: Record<string, string>) => {
  const answer = await read(api('POST', where, body, headers))
  return { ...answer, isReplay: answer.headers.get('idempotency-replayed') === 'true' }
}
type Sent = Awaited<ReturnType<typeof send>>
type Fields = { id: string; job_id: string; run_id: string; session_id: string; result: { id: string } }
const fields = ({ body }: { body: Body }): Fields => body as unknown as Fields

const task = { user_message_content: 'go', client_id: 'echo', stream: false, background: true }
const script = [{ sleep_ms: 60_000 }]
const sleeping = { ...task, client_id: 'script', agent_config: { agent_id: 'script', script } }
const yearly = { name: 'a', schedule: '@yearly', overlap: 'allow', task: { user_message_content: 'go' } }
const hook = { url: 'https://x.example/', enabled: false }

const made = async (where: string, body: object): Promise<Fields> => fields(await send(ann(), where, body))
const ended = (await made('/tasks', { ...task, background: false })).result.id
const working = (await made('/tasks', sleeping)).result.id
const job = (await made('/cron/jobs', yearly)).job_id
const session = (await made('/env/create', { env_class_path: counter })).session_id

type Surface = {
  where: string
  body?: object
  /** Another request to the same surface. Absent: its requests have no body. */
  other?: object
  /** What a request made, if it made a thing of its own. */
  idOf?: (sent: Sent) => string
}
const step = { session_id: session, tool_name: 'add', tool_args: { by: 1 } }
const surfaces: Record<string, Surface> = {
  'a create of a task': {
    where: '/tasks',
    body: task,
    other: { ...task, user_message_content: 'stop' },
    idOf: sent => fields(sent).result.id,
  },
  'a fork': {
    where: `/tasks/${ended}/fork`,
    body: { at: 1 },
    other: { at: 2 },
    idOf: sent => fields(sent).id,
  },
  'a message': { where: `/tasks/${working}/messages`, body: { content: 'a' }, other: { content: 'b' } },
  'a create of a cron job': {
    where: '/cron/jobs',
    body: yearly,
    other: { ...yearly, name: 'b' },
    idOf: sent => fields(sent).job_id,
  },
  'a trigger': { where: `/cron/jobs/${job}/trigger`, idOf: sent => fields(sent).run_id },
  'a create of a webhook': {
    where: '/webhooks',
    body: hook,
    other: { ...hook, types: ['TaskCreated'] },
    idOf: sent => fields(sent).id,
  },
  'a create of a session': {
    where: '/env/create',
    body: { env_class_path: counter },
    other: { env_class_path: counter, client_id: 'b' },
    idOf: sent => fields(sent).session_id,
  },
  'a step': { where: '/env/step', body: step, other: { ...step, tool_args: { by: 2 } } },
  'a reset': {
    where: '/env/reset',
    body: { session_id: session, seed: 1 },
    other: { session_id: session, seed: 2 },
  },
}
const idOf = ({ idOf: own }: Surface, sent: Sent) => own?.(sent) ?? ''

for (const [what, surface] of Object.entries(surfaces)) {
  const { where, body, other } = surface
  t.test(`${what} with the key of an earlier one is that one`, async t => {
    const key = keyed(what)
    const first = await send(ann(), where, body, key)
    t.match(first, { status: 200, isReplay: false })
    const second = await send(ann(), where, body, { ...key, ...marked })
    t.match(second, { status: 200, isReplay: true })
    t.equal(idOf(surface, second), idOf(surface, first))
    const theirs = await send(annToo(), where, body, key)
    t.match(theirs, { status: 200, isReplay: false }, 'a key belongs to its token')
    if (surface.idOf !== undefined) t.not(idOf(surface, theirs), idOf(surface, first))
    if (other === undefined) return
    const conflict = await send(ann(), where, other, key)
    t.match(conflict, { status: 409, isReplay: false }, 'for another body it is taken')
    const problem = conflict.body.error ?? conflict.body
    t.match(problem, { code: -32023, data: { idempotency_key: what } })
    t.equal(conflict.headers.get('x-should-retry'), 'false')
  })

  t.test(`${what}: of four at once with one key, one is made`, async t => {
    const key = keyed(`${what} at once`)
    const all = await Promise.all([1, 2, 3, 4].map(() => send(ann(), where, body, key)))
    t.same(
      all.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    t.equal(all.filter(({ isReplay }) => !isReplay).length, 1)
    t.equal(new Set(all.map(sent => idOf(surface, sent))).size, 1)
  })
}

t.test('a key means one request of a task, and another thing on another surface', async t => {
  const key = keyed('shared')
  for (const [what, { where, body }] of Object.entries(surfaces)) {
    const isTaken = what === 'a fork' || what === 'a message' || what === 'a reset'
    t.match(await send(ann(), where, body, key), { status: isTaken ? 409 : 200, isReplay: false }, what)
  }
})

t.test('a webhook is made again without a key, also by a marked retry', async t => {
  const lone = { ...hook, types: ['TaskCreated', 'AgentCompleted'] }
  const first = fields(await send(ann(), '/webhooks', lone))
  t.not(fields(await send(ann(), '/webhooks', lone, marked)).id, first.id)
})

t.test('a marked retry of the only equal request is that one, for a task and a cron job', async t => {
  for (const what of ['a create of a task', 'a create of a cron job']) {
    const surface = surfaces[what] as Surface
    const lone = {
      ...surface.body,
      ...(what.endsWith('task') ? { metadata: { lone: 1 } } : { name: 'lone' }),
    }
    const first = await send(ann(), surface.where, lone)
    const retried = await send(ann(), surface.where, lone, marked)
    t.match(retried, { isReplay: true }, what)
    t.equal(idOf(surface, retried), idOf(surface, first))
    t.match(await send(annToo(), surface.where, lone, marked), { isReplay: false }, 'not for another token')
  }
  const lone = { env_class_path: counter, client_id: 'lone' }
  await send(ann(), '/env/create', lone)
  t.match(await send(ann(), '/env/create', lone, marked), { isReplay: false }, 'a session is never shared')
})

t.test('a key of a deleted thing: a webhook is made anew, everything else is refused', async t => {
  const key = keyed('deleted')
  const remove = (where: string) => ann()('DELETE', where)
  const again = async (what: string, where: string, body: object, expected: object) =>
    t.match(await send(ann(), where, body, key), expected, what)
  const instant = { ...task, background: false }
  const { id } = fields(await send(ann(), '/tasks', instant, key)).result
  await remove(`/tasks/${id}`)
  await again('a task', '/tasks', instant, {
    status: 409,
    body: { error: { code: -32023, message: /the task was deleted/ } },
  })
  const { job_id } = fields(await send(ann(), '/cron/jobs', yearly, key))
  await remove(`/cron/jobs/${job_id}`)
  await again('a job', '/cron/jobs', yearly, { status: 409, body: { code: -32023, data: { job_id } } })
  await again('a run', `/cron/jobs/${job_id}/trigger`, {}, { status: 404 })
  const first = fields(await send(ann(), '/webhooks', hook, key))
  await remove(`/webhooks/${first.id}`)
  await again(
    'a webhook',
    '/webhooks',
    { ...hook, types: ['TaskCreated', 'AgentCompleted'] },
    { status: 200, isReplay: false },
  )
  await again('the webhook after it', '/webhooks', hook, { status: 409 })
  const body = { env_class_path: counter }
  const { session_id } = fields(await send(ann(), '/env/create', body, key))
  await remove(`/env/session/${session_id}`)
  await again('a session', '/env/create', body, { status: 409, body: { code: -32023 } })
})

t.test('after a restart every key is known as before', async t => {
  await server.stop()
  server = await serve()
  for (const [what, surface] of Object.entries(surfaces)) {
    const { where, body, other } = surface
    t.match(await send(ann(), where, body, keyed(what)), { status: 200, isReplay: true }, what)
    if (other !== undefined) t.match(await send(ann(), where, other, keyed(what)), { status: 409 }, what)
  }
  t.match(await send(ann(), '/tasks', { ...task, background: false }, keyed('deleted')), { status: 409 })
  t.match(await send(ann(), '/webhooks', hook, keyed('deleted')), { status: 409 })
})

t.test('an erased thing takes its key along, but a name that the key gave stays taken', async t => {
  const [key, erase] = [keyed('erased'), 'erase=true&cascade=true&reason=x']
  const instant = { ...task, background: false }
  const first = fields(await send(ann(), '/tasks', instant, key)).result.id
  t.equal((await admin()('DELETE', `/tasks/${first}?${erase}`)).status, 200)
  const second = await send(ann(), '/tasks', instant, key)
  t.match(second, { status: 200, isReplay: false })
  const body = { env_class_path: counter, client_id: 'erased' }
  const { session_id } = fields(await send(ann(), '/env/create', body, key))
  await send(ann(), '/env/close', { session_id })
  t.equal((await admin()('DELETE', `/env/session/${session_id}?${erase}`)).status, 200)
  t.match(await send(ann(), '/env/create', body, key), { status: 409, body: { data: { session_id } } })
  await server.stop()
  server = await serve()
  t.equal(fields(await send(ann(), '/tasks', instant, key)).result.id, fields(second).result.id)
})

t.test('read models that are made anew have the same requests', async t => {
  await server.stop()
  const replayed = await runReprise(['replay', '--all'], env)
  t.equal(replayed.code, 0, replayed.stdout + replayed.stderr)
})
