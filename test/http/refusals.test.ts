// Every refusal says in one form what to do, and where to read more.
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { refusals } from '../../src/contract/refusals.ts'
import { errorsFile } from '../../src/documents/catalogue.ts'
import { dial, read, until } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { addressOf } from './socket/client.ts'

const { api, url } = await serveHere(t)
const page = (await read(fetch(`${url}/docs`))).text
type ErrorJson = {
  code: number
  message: string
  data: { hint: string; docs: string; [more: string]: unknown }
}

const isSound = (t: Test, name: keyof typeof refusals | 'Invalid', error: ErrorJson | undefined): void => {
  t.match(error, { message: /./, data: { hint: /^[A-Z`].+\.$/s, docs: `/docs#error-${name}` } }, name)
  const anchor = error?.data.docs.split('#')[1]
  t.ok(page.includes(`id="${anchor}"`), `${anchor} is on the page`)
  if (name !== 'Invalid') t.equal(error?.code, refusals[name].code)
}

const bare = async (answer: Promise<Response>, status: number) => {
  const found = await read(answer)
  t.equal(found.status, status, found.text)
  return found.body as unknown as ErrorJson
}
const enveloped = async (answer: Promise<Response>, status: number) => {
  const { error, ...rest } = (await bare(answer, status)) as unknown as { error: ErrorJson }
  t.match(rest, { jsonrpc: '2.0', id: String })
  return error
}

t.test('every route refuses in one form: create, get and list of tasks in their envelope', async t => {
  const none = { headers: {} }
  isSound(t, 'TaskNotFound', await enveloped(api('GET', '/tasks/none'), 404))
  isSound(t, 'Unauthenticated', await enveloped(fetch(`${url}/v1/tasks`, none), 401))
  const large = 'x'.repeat(33 * 1024 * 1024)
  isSound(t, 'BodyTooLarge', await enveloped(api('POST', '/tasks', large), 413))
  for (const [name, status, method, path, body] of [
    ['TaskNotFound', 404, 'DELETE', '/tasks/none'],
    ['TaskNotFound', 404, 'POST', '/tasks/none/cancel'],
    ['TaskNotFound', 404, 'GET', '/tasks/none/events'],
    ['WebhookNotFound', 404, 'GET', '/webhooks/none'],
    ['CronJobNotFound', 404, 'GET', '/cron/jobs/none'],
    ['TokenNotFound', 404, 'DELETE', '/auth/tokens/none'],
    ['HoldNotFound', 404, 'DELETE', '/audit/holds', { task_id: 'none', reason: 'x' }],
    ['EnvNotFound', 404, 'GET', '/env/none'],
    ['SessionNotFound', 404, 'GET', '/env/session/none'],
    ['TileNotFound', 404, 'GET', '/audit/tlog/tile/0/999'],
    ['RouteNotFound', 404, 'GET', '/nowhere'],
    ['MethodNotAllowed', 405, 'PUT', '/tasks'],
  ] as const)
    isSound(t, name, await bare(api(method, path, body), status))
  const { detail } = (await bare(api('GET', '/env/session/none'), 404)) as unknown as { detail: string }
  t.equal(detail, 'no such session, or it is closed', 'the field of the interface is there, too')
  isSound(t, 'UpgradeRequired', await bare(fetch(`${url}/ws`), 426))
})

t.test('what `data` has had before stands beside the hint', async t => {
  const { id } = (
    await read(api('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo' }))
  ).body.result
  const error = await bare(api('POST', `/tasks/${id}/pause`), 400)
  isSound(t, 'WrongState', error)
  t.match(error.data, { status: 'completed', operation: 'pause', states: Array })
})

t.test('a stream that cannot begin says the same', async t => {
  const headers = { accept: 'text/event-stream' }
  isSound(t, 'TaskNotFound', await bare(api('GET', '/tasks/none/events', undefined, headers), 404))
  isSound(t, 'Unauthenticated', await bare(fetch(`${url}/api/events`, { headers }), 401))
  await read(api('POST', '/env/create', { session_id: 'maze', env_id: 'gridworld' }))
  await read(api('POST', '/env/close', { session_id: 'maze' }))
  const step = { session_id: 'maze', tool_name: 'look', stream: true }
  isSound(t, 'SessionNotFound', await bare(api('POST', '/env/step', step), 404))
})

t.test('an invalid request has the form of the interface, and nothing else', async t => {
  for (const answer of [
    api('POST', '/tasks', {}),
    api('GET', '/cron/jobs?limit=0'),
    api('POST', '/webhooks', {}),
  ])
    t.same(Object.keys(await bare(answer, 422)), ['detail'])
})

t.test('messages on /ws have the same object, also for an invalid one', async t => {
  const ws = new WebSocket(addressOf(url), { headers: { authorization: `Bearer ${adminToken}` } })
  t.teardown(() => ws.terminate())
  await once(ws, 'open')
  const ask = async (message: object | string) => {
    ws.send(typeof message === 'string' ? message : JSON.stringify(message))
    const [bytes] = (await once(ws, 'message')) as [Buffer]
    return (JSON.parse(bytes.toString()) as { type: string; error: ErrorJson }).error
  }
  isSound(t, 'TaskNotFound', await ask({ type: 'cancel', task_id: 'none' }))
  isSound(t, 'RouteNotFound', await ask({ type: 'dance' }))
  const invalid = await ask({ type: 'subscribe', channels: ['nothing'] })
  isSound(t, 'Invalid', invalid)
  t.match(invalid, { code: -32602, data: { detail: [{ loc: Array, msg: String, type: String }] } })
  const stranger = new WebSocket(addressOf(url), { headers: { authorization: 'Bearer nobody' } })
  t.teardown(() => stranger.terminate())
  const [bytes] = (await once(stranger, 'message')) as [Buffer]
  isSound(t, 'Unauthenticated', JSON.parse(bytes.toString()).error)
})

t.test('what is no request is answered in the same form', async t => {
  for (const [name, bytes] of [
    ['NotHttp', 'NONSENSE\r\n\r\n'],
    ['BadHandshake', 'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ] as const) {
    const { socket, state } = await dial(url)
    t.teardown(() => socket.destroy())
    socket.write(bytes)
    await until(() => state.raw.includes('}}'))
    isSound(t, name, JSON.parse(state.raw.slice(state.raw.indexOf('\r\n\r\n'))))
  }
})

t.test('with PUBLIC_URL the link is a whole address', async t => {
  const own = await serveHere(t, { PUBLIC_URL: 'https://example.com/reprise' })
  const { body } = await read(own.api('GET', '/webhooks/none'))
  t.match(body, { data: { docs: 'https://example.com/reprise/docs#error-WebhookNotFound' } })
  const ws = new WebSocket(addressOf(own.url), { headers: { authorization: 'Bearer nobody' } })
  t.teardown(() => ws.terminate())
  const [bytes] = (await once(ws, 'message')) as [Buffer]
  t.match(JSON.parse(bytes.toString()).error.data.docs, /^https:\/\/example\.com\/reprise\/docs#error-/)
})

t.test('a message says what is so, and the hint what to do', async t => {
  for (const [name, { message, when, hint }] of Object.entries(refusals)) {
    t.notMatch(message, /: |\b(try|send|choose|use) /, `${name}: the advice is in the hint`)
    for (const sentence of [when, hint]) t.match(sentence, /^[A-Z].*\.$/, name)
  }
})

t.test('the catalogue has a part for each reason, on the page and in the file', async t => {
  const file = errorsFile()
  for (const [name, { http, code, hint }] of Object.entries(refusals)) {
    t.ok(page.includes(`id="error-${name}"`), name)
    const [, part = ''] = file.split(`\n## ${name}\n`)
    t.ok(part.startsWith(`\n${http}, \`${code}\``), name)
    t.ok(part.split('\n## ')[0]?.replaceAll('\n', ' ').includes(hint), name)
  }
})
