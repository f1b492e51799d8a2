// Every route against every kind of caller.
import t from 'tap'
import { type Body, pause, read } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'

const { api, url } = await serveHere(t)
const task = { user_message_content: 'x', stream: false, client_id: 'echo' }
const webhook = { url: 'http://hooks.invalid/', enabled: false }

const tokenOf = async (body: object): Promise<{ id: string; token: string }> =>
  (await read(api('POST', '/auth/tokens', body))).body as unknown as { id: string; token: string }
const webhookOf = async () =>
  (await read(api('POST', '/webhooks', webhook))).body as unknown as { id: string }
const tokens: Record<string, string> = {}
for (const role of ['admin', 'user', 'auditor', 'subscriber']) tokens[role] = (await tokenOf({ role })).token
tokens.expired = (await tokenOf({ role: 'admin', ttl: 1 })).token
const revoked = await tokenOf({ role: 'admin' })
tokens.revoked = revoked.token
await read(api('DELETE', `/auth/tokens/${revoked.id}`))
await pause(1100)

const credentials: Record<string, string | undefined> = {
  'no token': undefined,
  'an empty header': '',
  'a bad token': 'Bearer nonsense',
  'no token after Bearer': 'Bearer',
  'two tokens': `Bearer ${tokens.admin} ${tokens.admin}`,
  'the token alone': tokens.admin,
  'another scheme': `Basic ${tokens.admin}`,
  'a token with one letter more': `Bearer ${tokens.admin}x`,
  'a token in another case': `Bearer ${tokens.admin?.toUpperCase()}`,
  'the id of a token': `Bearer ${revoked.id}`,
  ...Object.fromEntries(Object.entries(tokens).map(([name, token]) => [name, `Bearer ${token}`])),
}
const known = ['admin', 'user', 'auditor', 'subscriber']

type Route = {
  method: string
  path: string
  body?: unknown
  may: string[]
  envelope?: boolean
  through?: number
}
const routes: Route[] = [
  { method: 'POST', path: '/tasks', body: task, may: ['admin', 'user'], envelope: true },
  { method: 'GET', path: '/tasks', may: ['admin', 'user', 'auditor'], envelope: true },
  { method: 'GET', path: '/tasks/:id', may: ['admin', 'user', 'auditor'], envelope: true },
  { method: 'DELETE', path: '/tasks/:id', may: ['admin', 'user'] },
  { method: 'POST', path: '/tasks/:id/cancel', may: ['admin', 'user'], through: 400 },
  { method: 'POST', path: '/tasks/:id/pause', may: ['admin', 'user'], through: 400 },
  { method: 'POST', path: '/tasks/:id/resume', may: ['admin', 'user'], through: 400 },
  { method: 'GET', path: '/tasks/:id/events', may: known },
  { method: 'GET', path: '/auth/token', may: known },
  { method: 'POST', path: '/auth/login-ticket', may: ['admin'] },
  { method: 'GET', path: '/auth/tokens', may: ['admin'] },
  { method: 'POST', path: '/auth/tokens', body: { role: 'user' }, may: ['admin'] },
  { method: 'DELETE', path: '/auth/tokens/:token', may: ['admin'] },
  { method: 'POST', path: '/webhooks', body: webhook, may: ['admin', 'user'] },
  { method: 'GET', path: '/webhooks', may: ['admin', 'user', 'auditor'] },
  { method: 'GET', path: '/webhooks/:hook', may: ['admin', 'user', 'auditor'] },
  { method: 'PATCH', path: '/webhooks/:hook', body: {}, may: ['admin', 'user'] },
  { method: 'POST', path: '/webhooks/:hook/rotate-secret', may: ['admin', 'user'] },
  { method: 'POST', path: '/webhooks/:hook/test', may: ['admin', 'user'] },
  { method: 'GET', path: '/webhooks/:hook/deliveries', may: ['admin', 'user', 'auditor'] },
  {
    method: 'POST',
    path: '/webhooks/:hook/deliveries/1/redeliver',
    may: ['admin', 'user'],
    through: 404,
  },
  { method: 'DELETE', path: '/webhooks/:hook', may: ['admin', 'user'] },
]

for (const { method, path, body, may, envelope, through } of routes) {
  t.test(`${method} ${path} lets ${may.join(', ')} through and nobody else`, async t => {
    for (const [who, authorization] of Object.entries(credentials)) {
      const { result } = (await read(api('POST', '/tasks', task))).body
      const { id: token } = path.includes(':token') ? await tokenOf({ role: 'user' }) : { id: '' }
      const { id: hook } = path.includes(':hook') ? await webhookOf() : { id: '' }
      const where = path.replace(':id', result.id).replace(':token', token).replace(':hook', hook)
      const answer = await read(
        fetch(`${url}/v1${where}`, {
          method,
          headers: {
            ...(authorization === undefined ? {} : { authorization }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      )
      const expected = may.includes(who) ? (through ?? 200) : known.includes(who) ? 403 : 401
      t.equal(answer.status, expected, who)
      if (expected !== 401 && expected !== 403) continue
      const error = { code: expected === 401 ? -32030 : -32031, message: String }
      t.match(answer.body, envelope ? { jsonrpc: '2.0', id: String, error } : error, who)
      t.equal('jsonrpc' in answer.body, envelope ?? false)
      t.equal(answer.headers.get('www-authenticate'), expected === 401 ? 'Bearer' : null)
    }
  })
}

t.test('the scheme is read in any case, and spaces around the token do no harm', async t => {
  for (const authorization of [`bearer ${tokens.user}`, `BEARER ${tokens.user}`, `Bearer   ${tokens.user}`]) {
    t.equal((await api('GET', '/tasks', undefined, { authorization })).status, 200, authorization.slice(0, 9))
  }
})

t.test('a token in the query is no token', async t => {
  for (const name of ['token', 'access_token', 'authorization', 'ticket']) {
    const { status } = await fetch(`${url}/v1/tasks?${name}=${tokens.admin}`)
    t.equal(status, 401, name)
  }
})

t.test('who may not come in is not told what is wrong with the request', async t => {
  const big = { 'content-type': 'text/plain', authorization: 'no' }
  t.equal((await api('POST', '/tasks', '{', big)).status, 401)
  t.equal((await api('GET', '/tasks?limit=x', undefined, { authorization: '' })).status, 401)
  t.equal((await api('GET', '/tasks/nothing', undefined, { authorization: '' })).status, 401)
})

t.test('a subscriber reads the events of a task and nothing else of it', async t => {
  const subscriber = apiOf(url, tokens.subscriber)
  const { result } = (await read(api('POST', '/tasks', task))).body
  const stream = await subscriber('GET', `/tasks/${result.id}/events`, undefined, {
    accept: 'text/event-stream',
  })
  t.equal(stream.status, 200)
  await stream.text()
  t.equal((await subscriber('GET', `/tasks/${result.id}`)).status, 403)
})

t.test('a token is shown when it is made, and never again', async t => {
  const { status, body } = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'ann', ttl: 60 }))
  t.equal(status, 200)
  const made = body as Body & { token: string; role: string; user_id: string; expires_at: number }
  t.match(made, { id: /^tok_/, token: /^rp_[\w-]{40,}$/, role: 'user', user_id: 'ann' })
  t.ok(Math.abs(made.expires_at - Date.now() / 1000 - 60) < 5, 'whole seconds')
  const { text, body: listed } = await read(api('GET', '/auth/tokens'))
  t.notMatch(text, made.token)
  t.notMatch(text, /rp_|hash/)
  const all = (listed as unknown as { data: { id: string; role: string; user_id: string | null }[] }).data
  t.match(
    all.find(each => each.id === made.id),
    { role: 'user', user_id: 'ann', expires_at: made.expires_at },
  )
  t.same(Object.keys(all[0] ?? {}).sort(), [
    'created_at',
    'expires_at',
    'id',
    'last_used_at',
    'name',
    'role',
    'user_id',
  ])
})

t.test('a revoked token is out at once, and cannot be revoked again', async t => {
  const { id, token } = await tokenOf({ role: 'user' })
  const own = apiOf(url, token)
  t.equal((await own('GET', '/tasks')).status, 200)
  t.match(await read(api('DELETE', `/auth/tokens/${id}`)), { status: 200, body: { id } })
  t.equal((await own('GET', '/tasks')).status, 401)
  t.equal((await api('DELETE', `/auth/tokens/${id}`)).status, 404)
  t.equal((await api('DELETE', '/auth/tokens/nothing')).status, 404)
  const { text } = await read(api('GET', '/auth/tokens'))
  t.notMatch(text, id)
})

t.test('what is no token is refused', async t => {
  for (const body of [
    {},
    { role: 'root' },
    { role: 'user', ttl: 0 },
    { role: 'user', ttl: '9' },
    { role: 'user', ttl: 1.5 },
    { role: 'user', user_id: 1 },
    { role: 'user', user_id: '' },
    [],
    { role: ['admin'] },
  ]) {
    t.match(await read(api('POST', '/auth/tokens', body)), {
      status: 422,
      body: { detail: [{ loc: ['body'] }] },
    })
  }
})

t.test('an admin of one user makes and sees tokens of that user alone', async t => {
  const narrow = apiOf(url, (await tokenOf({ role: 'admin', user_id: 'ann' })).token)
  t.match(await read(narrow('POST', '/auth/tokens', { role: 'user' })), {
    status: 200,
    body: { user_id: 'ann' },
  })
  for (const user_id of ['bob', 'Ann']) {
    t.equal((await narrow('POST', '/auth/tokens', { role: 'user', user_id })).status, 403)
  }
  const { body } = await read(narrow('GET', '/auth/tokens'))
  const owners = (body as unknown as { data: { user_id: string }[] }).data.map(each => each.user_id)
  t.same([...new Set(owners)], ['ann'])
  const foreign = await tokenOf({ role: 'user', user_id: 'bob' })
  t.equal((await narrow('DELETE', `/auth/tokens/${foreign.id}`)).status, 404)
  t.equal((await apiOf(url, foreign.token)('GET', '/tasks')).status, 200)
})

t.test('two equal revocations at once do no harm', async t => {
  const { id } = await tokenOf({ role: 'user' })
  const answers = await Promise.all([1, 2, 3].map(() => api('DELETE', `/auth/tokens/${id}`)))
  t.same(
    answers.filter(({ status }) => status !== 200 && status !== 404).map(({ status }) => status),
    [],
  )
})

t.test('401 says where tokens are, and 403 which role is needed', async t => {
  const messageOf = async (answer: Promise<Response>) => JSON.stringify(await (await answer).json())
  const where =
    'ADMIN_TOKEN, or is in the file admin-token of DATA_DIR; `reprise token create` makes further tokens'
  const without = await messageOf(fetch(`${url}/v1/tasks`))
  t.match(without, 'a bearer token is required')
  t.match(without, 'Send the header `Authorization: Bearer TOKEN`')
  t.match(without, where)
  const wrong = await messageOf(apiOf(url, 'nonsense')('GET', '/tasks'))
  t.match(wrong, 'this token is unknown or no longer valid')
  t.match(wrong, where)
  const made = (await (await api('POST', '/auth/tokens', { role: 'auditor' })).json()) as { token: string }
  const refused = await apiOf(url, made.token)('POST', '/tasks/none/cancel')
  t.match(await refused.json(), {
    code: -32031,
    message: 'a token with the role auditor does not allow this',
    data: { role: 'auditor', needs: ['admin', 'user'], hint: 'Use a token with the role admin or user.' },
  })
  const ann = await api('POST', '/auth/tokens', { role: 'user', user_id: 'ann' })
  const { token } = (await ann.json()) as { token: string }
  const forBob = { user_message_content: 'x', stream: false, user_id: 'bob' }
  t.match(await (await apiOf(url, token)('POST', '/tasks', forBob)).json(), {
    error: { message: 'this token belongs to the user ann and cannot act for the user bob' },
  })
})

t.test(
  'a token has a name, and the list says when it was last used, without an event for each use',
  async t => {
    type Listed = { id: string; name: string | null; last_used_at: number | null }
    const listed = async (id: string) => {
      const { body } = await read(api('GET', '/auth/tokens'))
      const { data: tokens, uses_since } = body as unknown as { data: Listed[]; uses_since: number }
      return { ...tokens.find(token => token.id === id), uses_since }
    }
    const { id, token } = await tokenOf({ role: 'user', user_id: 'una', name: 'The laptop of Una' })
    const fresh = await listed(id)
    t.match(fresh, { name: 'The laptop of Una', last_used_at: null })
    t.ok(fresh.uses_since <= Date.now() / 1000)
    const head = async () => ((await (await fetch(`${url}/readyz`)).json()) as { position: number }).position
    const before = await head()
    const own = apiOf(url, token)
    for (let n = 0; n < 5; n++) t.equal((await own('GET', '/tasks')).status, 200)
    const used = await listed(id)
    t.ok((used.last_used_at ?? 0) >= fresh.uses_since, `used at ${used.last_used_at}`)
    t.equal(await head(), before, 'reading a list stores nothing')
    t.match(await listed((await tokenOf({ role: 'user' })).id), { name: null, last_used_at: null })
    for (const name of ['', 'x'.repeat(101), 5])
      t.equal((await api('POST', '/auth/tokens', { role: 'user', name })).status, 422)
  },
)
