// Webhooks over HTTP, with real requests to a receiver on this machine.
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { read } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { close, hang, long, receiver, status } from './receiver.ts'

const { api, url } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1', QUOTA_WEBHOOKS: '3' })
const tokenOf = async (user: string, role = 'user') =>
  (await (await api('POST', '/auth/tokens', { role, user_id: user })).json()) as { id: string; token: string }
const apiFor = async (user: string, role?: string) => apiOf(url, (await tokenOf(user, role)).token)
const echo = (text: string, more: object = {}) => ({
  user_message_content: text,
  stream: false,
  client_id: 'echo',
  ...more,
})
// biome-ignore lint/suspicious/noExplicitAny: answers of many forms, which the assertions check
type Answered = Record<string, any>
const json = async (asked: Promise<Response>) => (await (await asked).json()) as Answered
const ended = (received: { event: { data: { new_status?: unknown } } }[]) =>
  received.some(({ event }) => event.data.new_status === 'completed')

t.test('every event of the user comes signed, in order, with the id that /api/events gives it', async t => {
  const alice = await apiFor('alice')
  const bob = await apiFor('bob')
  const hook = await receiver(t)
  const made = await json(alice('POST', '/webhooks', { url: hook.url, headers: { 'x-team': 'blue' } }))
  t.match(made, {
    url: hook.url,
    enabled: true,
    status: 'active',
    secret: /^whsec_/,
    headers: { 'x-team': '***' },
  })
  await bob('POST', '/tasks', echo('of bob'))
  const task = (await read(alice('POST', '/tasks', echo('hello')))).body.result.id
  const received = await hook.until(ended)
  t.same(
    received.map(({ event }) => event.type),
    [
      'TaskCreated',
      'AgentSpawned',
      'TaskStatusChanged',
      'TaskUpdated',
      'AgentCompleted',
      'TaskStatusChanged',
    ],
  )
  for (const { headers, body, event, id } of received) {
    t.same(event.data.task_id, task)
    t.same(Object.keys(event), ['type', 'timestamp', 'data'])
    t.match(headers, { 'content-type': 'application/json', 'x-team': 'blue' })
    t.same(new Webhook(made.secret).verify(body, headers), JSON.parse(body))
    t.match(id, /^\d+$/)
  }
  const stream = await fetch(`${url}/api/events?starting_after=0&task_id=${task}`, {
    headers: { authorization: `Bearer ${(await tokenOf('alice')).token}` },
  })
  const reader = stream.body?.getReader()
  let text = ''
  while ((text.match(/\nid: /g) ?? []).length + Number(text.startsWith('id:')) < 6)
    text += Buffer.from((await reader?.read())?.value ?? []).toString()
  await reader?.cancel()
  t.same(
    [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id),
    received.map(({ id }) => id),
  )
  t.equal((await bob('GET', `/webhooks/${made.id}`)).status, 404)
  t.equal((await bob('DELETE', `/webhooks/${made.id}`)).status, 404)
  t.equal((await alice('DELETE', `/webhooks/${made.id}`)).status, 200)
  t.equal((await alice('GET', `/webhooks/${made.id}`)).status, 404)
})

const inside = [
  '127.0.0.1',
  'localhost',
  'a.LocalHost.',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '[64:ff9b::7f00:1]',
  '10.1',
  '0xa9fea9fe',
]

t.test(
  'an address that is private by its letters is refused when a webhook or a task is made or changed',
  async t => {
    const { api } = await serveHere(t)
    const made = await json(api('POST', '/webhooks', { url: 'https://example.com/hook', enabled: false }))
    for (const host of inside) {
      const url = `http://${host}/hook`
      const asked: [path: string, at: string[], answer: Promise<Response>][] = [
        ['a create', ['url'], api('POST', '/webhooks', { url })],
        ['a change', ['url'], api('PATCH', `/webhooks/${made.id}`, { url })],
        ['a task', ['webhook', 'url'], api('POST', '/tasks', echo('x', { webhook: { url } }))],
      ]
      for (const [what, at, answer] of asked) {
        const { status, body } = await read(answer)
        t.equal(status, 422, `${what} with ${host}`)
        t.match(JSON.stringify(body), JSON.stringify(['body', ...at]))
        t.match(
          JSON.stringify(body),
          /not public; the operator can allow such addresses with ALLOW_PRIVATE_URLS=1/,
        )
      }
    }
  },
)

t.test('no way of a webhook leads to an address inside the network', async t => {
  const here = await receiver(t)
  const dataDir = t.testdir()
  const before = await serveHere(t, { DATA_DIR: dataDir, ALLOW_PRIVATE_URLS: '1' })
  const hooks: [host: string, id: string, task: string][] = []
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
    const to = here.url.replace('127.0.0.1', host)
    const made = await json(before.api('POST', '/webhooks', { url: to, types: ['TaskCreated'] }))
    const pauses = { agent_id: 'script', script: [{ pause: 'tea' }, { message: 'y' }] }
    const task = await json(
      before.api('POST', '/tasks', { ...echo('x'), agent_config: pauses, webhook: { url: to } }),
    )
    hooks.push([host, made.id, task.result.id], [host, `wht_${task.result.id}`, task.result.id])
  }
  await before.stop()
  const known = here.received.length
  const { api } = await serveHere(t, { DATA_DIR: dataDir })
  const refused = { delivered: false, status: null, error: /not public/ }
  for (const [host, id, task] of hooks) {
    t.match(await json(api('POST', `/webhooks/${id}/test`)), refused, `a test of ${host}`)
    await json(
      id.startsWith('wht_') ? api('POST', `/tasks/${task}/resume`, {}) : api('POST', '/tasks', echo('x')),
    )
    let info = await json(api('GET', `/webhooks/${id}`))
    while (info.failing === null) info = await json(api('GET', `/webhooks/${id}`))
    t.match(info.failing, { error: /not public/ }, `a delivery to ${host}`)
    const again = await json(api('POST', `/webhooks/${id}/deliveries/${info.failing.event_id}/redeliver`))
    t.match(again, refused, `a redelivery to ${host}`)
  }
  t.equal(here.received.length, known)
})

t.test('a redirect is not followed, not even to a public name that leads back here', async t => {
  const inside = await receiver(t)
  const hook = await receiver(t, [
    status(302, { location: inside.url }),
    status(307, { location: inside.url }),
  ])
  const made = await json(api('POST', '/webhooks', { url: hook.url, enabled: false }))
  for (const code of [302, 307])
    t.match(await json(api('POST', `/webhooks/${made.id}/test`)), {
      delivered: false,
      status: code,
      error: `answered ${code}: redirects are not followed`,
    })
  t.equal(inside.received.length, 0)
})

t.test('a long answer is cut off, its status counts, and nobody sees it', async t => {
  const hook = await receiver(t, [long(2_000_000), close])
  const made = await json(api('POST', '/webhooks', { url: hook.url, enabled: false }))
  t.match(await json(api('POST', `/webhooks/${made.id}/test`)), { delivered: true, status: 200, error: null })
  t.match(await json(api('POST', `/webhooks/${made.id}/test`)), {
    delivered: false,
    error: /connection failed/,
  })
})

t.test('a receiver that hangs delays neither the other receivers nor the stop of the server', async t => {
  const slow = await receiver(t, [hang, hang, hang])
  const good = await receiver(t)
  const server = await serveHere(t, { ALLOW_PRIVATE_URLS: '1' })
  await server.api('POST', '/webhooks', { url: slow.url })
  await server.api('POST', '/webhooks', { url: good.url })
  await server.api('POST', '/tasks', echo('x'))
  await good.until(ended)
  t.equal(slow.received.length, 1)
  const began = Date.now()
  await server.stop()
  t.ok(Date.now() - began < 14_000, 'a try may take 15 s')
})

t.test('what is wrong with a webhook is said at once, and headers of ours are refused', async t => {
  const answer = await json(
    api('POST', '/webhooks', {
      url: 'ftp://x',
      types: ['TaskCreated', 'Nothing'],
      secret: 'whsec_c2hvcnQ=',
      headers: { Host: 'x' },
    }),
  )
  t.same(answer.detail.map(({ loc }: { loc: string[] }) => loc.slice(0, 2).join('.')).sort(), [
    'body.headers',
    'body.secret',
    'body.types',
    'body.url',
  ])
  const headers = {
    Host: 'x',
    'webhook-id': 'x',
    'Content-Length': '1',
    'x-a': 'a\nb',
    'x b': '1',
    'x-ok': '1',
    'X-OK': '2',
  }
  const other = await json(api('POST', '/webhooks', { url: 'http://u:p@x/', headers }))
  t.same(
    other.detail.map(({ loc }: { loc: string[] }) => loc.at(-1)),
    ['url', 'Host', 'webhook-id', 'Content-Length', 'x-a', 'x b', 'X-OK'],
  )
  const given = `whsec_${Buffer.alloc(64, 7).toString('base64')}`
  const kept = await json(
    api('POST', '/webhooks', { url: 'https://x.example/', secret: given, enabled: false }),
  )
  t.equal(kept.secret, given)
  t.equal((await json(api('GET', `/webhooks/${kept.id}`))).secret, undefined)
  for (const bytes of [23, 65]) {
    const secret = `whsec_${Buffer.alloc(bytes).toString('base64')}`
    t.equal(
      (await api('POST', '/webhooks', { url: 'https://x.example/', secret })).status,
      422,
      `${bytes} bytes`,
    )
  }
})

t.test('a user may have only so many webhooks, and those of others do not exist', async t => {
  const [carol, dave] = [await apiFor('carol'), await apiFor('dave', 'admin')]
  const auditor = await apiFor('carol', 'auditor')
  const ids: string[] = []
  for (let n = 0; n < 3; n++)
    ids.push((await json(carol('POST', '/webhooks', { url: 'https://x.example/' }))).id)
  const refused = await carol('POST', '/webhooks', { url: 'https://x.example/' })
  t.equal(refused.status, 429)
  t.match(await refused.json(), { code: -32027, data: { quota: 'webhooks', limit: 3 } })
  t.same(
    (await json(carol('GET', '/webhooks'))).data.map(({ id }: { id: string }) => id),
    ids,
  )
  const begin = await json(auditor('GET', '/webhooks?limit=2'))
  t.match(begin, { data: [{ id: ids[0] }, { id: ids[1] }], has_more: true })
  t.match(await json(auditor('GET', `/webhooks?cursor=${begin.next_cursor}`)), {
    data: [{ id: ids[2] }],
    has_more: false,
    next_cursor: null,
  })
  t.equal((await auditor('DELETE', `/webhooks/${ids[0]}`)).status, 403)
  for (const [method, tail] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/deliveries'],
    ['POST', '/test'],
    ['POST', '/rotate-secret'],
    ['POST', '/deliveries/1/redeliver'],
  ] as const) {
    const answer = await dave(method, `/webhooks/${ids[0]}${tail}`, method === 'PATCH' ? {} : undefined)
    t.equal(answer.status, 404, `${method} ${tail}`)
    t.match(await answer.json(), { code: -32001, message: 'no such webhook' })
  }
  t.same((await json(dave('GET', '/webhooks'))).data, [])
  for (const id of ids) await carol('DELETE', `/webhooks/${id}`)
  t.equal((await carol('POST', '/webhooks', { url: 'https://x.example/' })).status, 200)
})

t.test('after rotations all secrets sign, a delivery is listed, and can be sent once more', async t => {
  const erin = await apiFor('erin')
  const hook = await receiver(t)
  const made = await json(erin('POST', '/webhooks', { url: hook.url, types: ['TaskCreated'] }))
  const rotated = await json(erin('POST', `/webhooks/${made.id}/rotate-secret`))
  t.not(rotated.secret, made.secret)
  // The answer to a rotation may be lost. Then the client rotates again, and receivers still have the first secret.
  const again = await json(erin('POST', `/webhooks/${made.id}/rotate-secret`))
  await erin('POST', '/tasks', echo('x'))
  const [first] = await hook.until(received => received.length === 1)
  if (first === undefined) throw new Error('nothing came')
  for (const { secret } of [made, rotated, again]) new Webhook(secret).verify(first.body, first.headers)
  let listed = await json(erin('GET', `/webhooks/${made.id}/deliveries`))
  while (listed.data.length === 0) listed = await json(erin('GET', `/webhooks/${made.id}/deliveries`))
  t.match(listed.data, [
    { id: first.id, type: 'TaskCreated', outcome: 'delivered', attempts: 1, status: 200 },
  ])
  t.match(await json(erin('POST', `/webhooks/${made.id}/deliveries/${first.id}/redeliver`)), {
    event_id: first.id,
    delivered: true,
  })
  t.same(
    hook.received.map(({ id, body }) => [id, body]),
    [1, 2].map(() => [first.id, first.body]),
  )
  const [both] = (await json(erin('GET', `/webhooks/${made.id}/deliveries`))).data
  t.match(both, { id: first.id, outcome: 'delivered', attempts: 1 })
  t.match(
    both.tries,
    [
      { status: 200, error: null, by: null },
      { status: 200, error: null, by: /^tok_/ },
    ],
    'both tries are listed, and who asked for the second',
  )
  const metrics = await (await fetch(`${url}/metrics`)).text()
  t.match(metrics, /reprise_webhook_deliveries_total\{outcome="delivered"\} [1-9]/)
  t.equal((await erin('POST', `/webhooks/${made.id}/deliveries/1/redeliver`)).status, 404)
})

t.test('the webhook of a task sends the events of that task, and ends with it', async t => {
  const hook = await receiver(t)
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const webhook = { url: hook.url, types: ['TaskCreated', 'AgentCompleted'], secret }
  const created = await json(api('POST', '/tasks', echo('signed', { webhook })))
  await api('POST', '/tasks', echo('another'))
  const received = await hook.until(list => list.length >= 2)
  t.same(
    received.map(({ event }) => [event.type, event.data.task_id]),
    [
      ['TaskCreated', created.result.id],
      ['AgentCompleted', created.result.id],
    ],
  )
  for (const { body, headers } of received) new Webhook(secret).verify(body, headers)
  const id = `wht_${created.result.id}`
  let info = await json(api('GET', `/webhooks/${id}`))
  while (info.status === 'active') info = await json(api('GET', `/webhooks/${id}`))
  t.match(info, { status: 'ended', of_task: true, signed: true, delivered: 2 })
  const log = await (await api('GET', `/audit/events?stream=task-${created.result.id}`)).text()
  t.notOk(log.includes(secret))
  t.equal((await api('POST', '/tasks', echo('x', { webhook: { url: 'file:///etc/passwd' } }))).status, 422)
  const unsigned = await receiver(t)
  await api('POST', '/tasks', echo('unsigned', { webhook: { url: unsigned.url } }))
  const [first] = await unsigned.until(ended)
  t.equal(first?.headers['webhook-signature'], undefined)
})

t.test('the webhook of a task has no headers: whatever a request names so is ignored', async t => {
  for (const headers of [{ a: null }, { host: 'x' }, [null], 'abc', 5, null]) {
    const webhook = { url: 'http://127.0.0.1:9/', headers }
    t.equal((await api('POST', '/tasks', echo('x', { webhook }))).status, 200)
  }
})

t.test('a port to which no web request may be sent is named as the reason', async t => {
  const peter = await apiFor('peter')
  const { id } = await json(peter('POST', '/webhooks', { url: 'http://127.0.0.1:6667/', enabled: false }))
  t.match(await json(peter('POST', `/webhooks/${id}/test`)), {
    delivered: false,
    error: 'no web requests are sent to this port, because it belongs to another protocol: use another port',
  })
})

t.test('a webhook says all questions of a task that waits for its client', async t => {
  const carol = await apiFor('carol')
  const hook = await receiver(t)
  await carol('POST', '/webhooks', { url: hook.url, types: ['TaskStatusChanged'] })
  const tool = (name: string) => ({ type: 'function', function: { name, parameters: {} } })
  const long = 'x'.repeat(5000)
  const both = [
    { tool: 'ask_user', arguments: { question: 'Shall I go on?' } },
    { tool: 'ask_boss', arguments: { question: long } },
  ]
  const { result } = await json(
    carol('POST', '/tasks', {
      ...echo('go'),
      client_tools: [tool('ask_user'), tool('ask_boss')],
      agent_config: { agent_id: 'script', script: [{ tools: both }, { message: 'thanks' }] },
    }),
  )
  const [first, second] = result.metadata.pending_inputs
  t.same([result.input_required, first.name, second.name], [first, 'ask_user', 'ask_boss'])
  const asking = await hook.until(got => got.some(({ event }) => event.data.new_status === 'input-required'))
  const { data } = asking.find(({ event }) => event.data.new_status === 'input-required')?.event ?? {}
  t.same(data?.pending_inputs, [
    { call_id: first.call_id, name: 'ask_user', arguments: '{"question":"Shall I go on?"}' },
    { call_id: second.call_id, name: 'ask_boss' },
  ])
  const frames = (await json(carol('GET', `/tasks/${result.id}/events`))).result as Answered[]
  const waiting = frames.find(({ type }) => type === 'task.input_required')
  t.match(waiting, { input_required: first, task: { metadata: { pending_inputs: [first, second] } } })

  const answers = [first, second].map(({ call_id }) => ({ call_id, message_content: 'yes' }))
  await carol('POST', `/tasks/${result.id}/input`, { tool_results: answers.slice(0, 1) })
  const half = (await json(carol('GET', `/tasks/${result.id}`))).result as Answered
  t.same(half.metadata.pending_inputs, [second], 'what is answered is no longer asked')
  await carol('POST', `/tasks/${result.id}/input`, { tool_results: answers.slice(1) })
  await hook.until(ended)
})
