// Every operation, asked about what belongs to another user: the answer is, to the byte, that about what does not exist.
// And every operation, asked with each credential that is none.
import t from 'tap'
import { rolesOf } from '../../src/access/roles.ts'
import type { Operation } from '../../src/documents/operation.ts'
import { operations } from '../../src/documents/operations.ts'
import { pause, read } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'

const { api, url, lines } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1' })
type Made = Record<'id' | 'token' | 'job_id' | 'run_id', string>
const made = async (who: typeof api, path: string, body: object) =>
  (await read(who('POST', path, body))).body as unknown as Made
const tokenOf = async (body: object) => (await made(api, '/auth/tokens', body)).token

const anns = await tokenOf({ role: 'user', user_id: 'ann' })
const ann = apiOf(url, anns)
const echo = { user_message_content: 'x', stream: false, client_id: 'echo' }
const hook = { url: 'http://127.0.0.1:9/', enabled: false }
await read(ann('POST', '/tasks', { ...echo, task_id: 'anns-task' }))
await read(ann('POST', '/env/create', { session_id: 'anns-session' }))
const job = await made(ann, '/cron/jobs', { name: 'a', schedule: '@yearly', task: echo })
const webhook = await made(ann, '/webhooks', hook)

type Ids = Record<string, string>
const foreign: Ids = {
  task_id: 'anns-task',
  other: 'anns-task',
  session_id: 'anns-session',
  job_id: job.job_id,
  webhook_id: webhook.id,
  token_id: 'tok_none',
  response_id: 'resp_anns-task',
  agent: 'echo',
  call: 'anns-task:subscribe',
}
const unknown: Ids = {
  task_id: 'nobodys',
  other: 'nobodys',
  session_id: 'nobodys-session',
  job_id: 'cron_nobodys',
  webhook_id: 'wh_nobodys',
  token_id: 'tok_none',
  response_id: 'resp_nobodys',
  agent: 'echo',
  call: 'nobodys:subscribe',
}

/** Bodies that are valid for an operation whose path does not name what it is about. */
const bodyOf = (operation: Operation, ids: Ids): object | undefined => {
  const { session_id } = ids
  const examples = Object.values(operation.body?.examples ?? {})
  const given = examples[0]?.value
  if (operation.path.endsWith('/fork')) return { at: 0 }
  if (operation.path === '/v1/env/step')
    return { session_id, tool_name: 'move', tool_args: { direction: 'east' } }
  if (/^\/v1\/env\/(reset|observation|close)$/.test(operation.path)) return { session_id }
  return given as object | undefined
}
const send = (operation: Operation, ids: Ids, headers: Record<string, string>) => {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '1')
  const body = operation.method === 'GET' ? undefined : bodyOf(operation, ids)
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  return fetch(url + path, {
    method: operation.method,
    headers: { 'x-request-id': 'same', ...type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}
const ask = async (operation: Operation, ids: Ids, headers: Record<string, string>) => {
  const answer = await read(send(operation, ids, headers))
  const named = Object.values(ids).reduce((text, id) => text.replaceAll(id, '<id>'), answer.text)
  return { status: answer.status, text: named, answerHeaders: [...answer.headers.keys()].sort().join() }
}
const nameOf = ({ method, path }: Operation) => `${method} ${path}`

/** Operations about one thing that has an owner: their path names it, or their body. */
const owned = operations.filter(
  ({ path }) =>
    /\{(task_id|session_id|job_id|webhook_id|other|response_id|call)\}/.test(path) ||
    /^\/v1\/env\/(step|reset|observation|close)$/.test(path),
)

for (const [name, body] of Object.entries({
  'another user': { role: 'user', user_id: 'bob' },
  'an auditor of another user': { role: 'auditor', user_id: 'bob' },
  'a subscriber of another user': { role: 'subscriber', user_id: 'bob' },
  'an admin of another user': { role: 'admin', user_id: 'bob' },
} as const)) {
  t.test(`${name} cannot tell what belongs to somebody from what does not exist`, async t => {
    const token = await tokenOf(body)
    for (const operation of owned) {
      const bearer = { authorization: `Bearer ${token}` }
      const [one, other] = [await ask(operation, foreign, bearer), await ask(operation, unknown, bearer)]
      t.same(one, other, nameOf(operation))
      const may = rolesOf[operation.access].includes(body.role)
      t.equal(one.status, may ? 404 : 403, nameOf(operation))
      const stream = { ...bearer, accept: 'text/event-stream' }
      t.same(await ask(operation, foreign, stream), await ask(operation, unknown, stream), 'as a stream')
    }
  })
}

t.test('and all of it is as it was', async t => {
  t.match(await read(ann('GET', '/tasks/anns-task')), {
    status: 200,
    body: { result: { status: 'completed' } },
  })
  t.match(await read(ann('GET', '/env/session/anns-session')), { status: 200, body: { is_active: true } })
  t.match(await read(ann('GET', `/cron/jobs/${job.job_id}`)), {
    status: 200,
    body: { runs: 0, enabled: true },
  })
  t.match(await read(ann('GET', `/webhooks/${webhook.id}`)), { status: 200, body: { url: hook.url } })
})

t.test('a credential that is none opens no operation', async t => {
  const { id, token: revoked } = await made(api, '/auth/tokens', { role: 'admin' })
  await read(api('DELETE', `/auth/tokens/${id}`))
  const expired = await tokenOf({ role: 'admin', ttl: 1 })
  const { ticket: good } = (await read(api('POST', '/auth/stream-ticket'))).body as unknown as {
    ticket: string
  }
  await pause(1100)
  const closed = operations.filter(({ access }) => access !== 'open')
  for (const [name, headers, query] of [
    ['a revoked token', { authorization: `Bearer ${revoked}` }, ''],
    ['an expired token', { authorization: `Bearer ${expired}` }, ''],
    ['a ticket as a token', { authorization: `Bearer ${good}` }, ''],
    ['a ticket of nobody', {}, '?ticket=rt_nobody'],
    ['an empty ticket', {}, '?ticket='],
  ] as const) {
    for (const operation of closed) {
      const answer = await read(
        send({ ...operation, path: operation.path + query } as Operation, foreign, headers),
      )
      t.equal(answer.status, 401, `${name}: ${nameOf(operation)}`)
      t.match(answer.headers.get('www-authenticate'), /^Bearer\b/)
      t.match(answer.text, /token|ticket/, 'it says what to do')
    }
  }
  for (const operation of closed.filter(({ access }) => access !== 'follow')) {
    const path = `${operation.path}?ticket=${good}`
    t.equal(
      (await send({ ...operation, path } as Operation, foreign, {})).status,
      401,
      `${path} takes no ticket`,
    )
  }
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
