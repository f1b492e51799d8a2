// Requests about webhooks: retries of a create, secrets, and what nobody may see.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { read } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { receiver, status } from '../webhooks/receiver.ts'

const { api, url, dataDir } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1' })
const tokenOf = async (user: string, role = 'user') =>
  ((await (await api('POST', '/auth/tokens', { role, user_id: user })).json()) as { token: string }).token
type Info = { id: string; secret?: string; [more: string]: unknown }
const post = async (who: typeof api, where: string, body: object = {}, headers = {}) => {
  const answer = await read(who('POST', `/webhooks${where}`, body, headers))
  return { ...answer, hook: answer.body as unknown as Info }
}
const at = { url: 'https://x.example/', enabled: false }
const keyed = (key: string) => ({ 'idempotency-key': key })
const replayed = 'idempotency-replayed'
const secretOf = (bytes: number, fill = 7) => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`

t.test('a create with the same key gives the same webhook and the same secret', async t => {
  const first = await post(api, '', at, keyed('k'))
  t.equal(first.headers.get(replayed), null)
  const second = await post(api, '', { enabled: false, url: at.url }, keyed('k'))
  t.equal(second.headers.get(replayed), 'true')
  t.equal(second.text, first.text)
  const other = await post(api, '', { ...at, types: ['TaskCreated'] }, keyed('k'))
  t.match(other, { status: 409, body: { code: -32023, data: { idempotency_key: 'k' } } })
  const many = await Promise.all([1, 2, 3, 4].map(() => post(api, '', at, keyed('at once'))))
  t.equal(new Set(many.map(({ hook }) => hook.id)).size, 1)
  t.equal(many.filter(({ headers }) => headers.get(replayed) === null).length, 1)
  const ann = apiOf(url, await tokenOf('ann'))
  t.not((await post(ann, '', at, keyed('k'))).hook.id, first.hook.id, 'the key of another token')
  t.not((await post(api, '', at, keyed('l'))).hook.id, first.hook.id)
  t.not((await post(api, '', at)).hook.id, (await post(api, '', at)).hook.id)
  await api('DELETE', `/webhooks/${first.hook.id}`)
  t.not((await post(api, '', at, keyed('k'))).hook.id, first.hook.id, 'a deleted webhook is no answer')
  t.equal((await post(api, '', at, keyed('x'.repeat(257)))).status, 422)
})

t.test('a secret is whsec_ and the base64 of 24 to 64 bytes, wherever it is given', async t => {
  const { hook } = await post(api, '', at)
  const task = { user_message_content: 'x', stream: false, client_id: 'echo' }
  const ways = [
    (secret: string) => api('POST', '/webhooks', { ...at, secret }),
    (secret: string) => api('POST', `/webhooks/${hook.id}/rotate-secret`, { secret }),
    (secret: string) => api('POST', '/tasks', { ...task, webhook: { url: 'http://127.0.0.1:9/', secret } }),
  ]
  const bad = [
    secretOf(23),
    secretOf(65),
    secretOf(24).slice(6),
    'whsec_',
    `${secretOf(25).slice(0, -1)}`,
    'whsec_****',
  ]
  for (const [n, way] of ways.entries()) {
    for (const secret of bad) t.equal((await way(secret)).status, 422, `${n}: ${secret.slice(0, 20)}`)
    for (const bytes of [24, 25, 26, 64]) t.equal((await way(secretOf(bytes))).status, 200, `${bytes} bytes`)
  }
})

t.test('secrets and headers are shown once, and are in no file but secrets.db', async t => {
  const inside = await receiver(t, [
    response => {
      response.writeHead(200).end('what-the-receiver-answers')
      return 200
    },
    status(500),
  ])
  const values = [secretOf(32, 91), 'value-of-a-header', secretOf(32, 93)]
  const [secret, header, next] = values
  const { hook } = await post(api, '', { url: inside.url, secret, headers: { 'x-own': header } })
  const about = `/webhooks/${hook.id}`
  t.match(hook, { secret, headers: { 'x-own': '***' } })
  t.match((await post(api, `/${hook.id}/rotate-secret`, { secret: next })).hook, { secret: next })
  const answers = await Promise.all([
    api('GET', about),
    api('GET', '/webhooks'),
    api('PATCH', about, { headers: { 'x-own': header } }),
    api('POST', `${about}/test`),
    api('POST', `${about}/test`),
    api('GET', `${about}/deliveries`),
    api('GET', '/audit/events?limit=1000'),
    api('GET', `/audit/events?stream=webhook-${hook.id}`),
  ])
  for (const answer of answers) {
    const text = await answer.text()
    t.equal(answer.status, 200, answer.url)
    for (const value of [...values, 'what-the-receiver-answers'])
      t.notOk(text.includes(value ?? ''), answer.url)
  }
  const files = readdirSync(dataDir).filter(name => !name.includes('secrets') && !name.endsWith('.lock'))
  const holding = files.filter(name => {
    const file = path.join(dataDir, name)
    try {
      const bytes = readFileSync(file)
      return values.some(value => bytes.includes(value ?? ''))
    } catch {
      return false // a folder
    }
  })
  t.ok(files.includes('log.db'))
  t.same(holding, [])
})

t.test('the stored events of a webhook are in the audit trail of its user, and of no other', async t => {
  const auditorOf = async (user: string) => apiOf(url, await tokenOf(user, 'auditor'))
  const hook = (await post(apiOf(url, await tokenOf('eve')), '', at)).hook
  const where = `/audit/events?stream=webhook-${hook.id}`
  const typesFor = async (who: typeof api) => {
    const answer = await who('GET', where)
    if (!answer.ok) return []
    return ((await answer.json()) as { data: { type: string }[] }).data.map(({ type }) => type)
  }
  t.same(await typesFor(await auditorOf('eve')), ['WebhookCreated'])
  t.same(await typesFor(await auditorOf('bob')), [])
})

t.test('headers of the server and of the connection are refused, whatever their case', async t => {
  for (const name of [
    'host',
    'HOST',
    'webhook-id',
    'Webhook-Signature',
    'webhook-x',
    'content-type',
    'Content-X',
  ])
    for (const [method, where] of [
      ['POST', ''],
      ['PATCH', `/${(await post(api, '', at)).hook.id}`],
    ] as const)
      t.match(
        await read(api(method, `/webhooks${where}`, { ...at, headers: { [name]: 'x' } })),
        { status: 422, body: { detail: [{ loc: ['body', 'headers', name] }] } },
        `${method} ${name}`,
      )
})

t.test('a wrong body gets every problem at once, in the place where it is', async t => {
  const places = async (answer: Promise<Response>) => {
    const { status, body } = await read(answer)
    t.equal(status, 422)
    return (body as unknown as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join('.')).sort()
  }
  const wrong = { url: 'ftp://x.example/', types: ['Nothing'], headers: { host: 'x' }, secret: 5 }
  t.same(await places(api('POST', '/webhooks', wrong)), [
    'body.headers.host',
    'body.secret',
    'body.types.0',
    'body.url',
  ])
  const { hook } = await post(api, '', at)
  const change = { ...wrong, url: null, headers: { a: 5 } }
  t.same(await places(api('PATCH', `/webhooks/${hook.id}`, change)), [
    'body.headers.a',
    'body.secret',
    'body.types.0',
    'body.url',
  ])
  const webhook = { url: 'ftp://x.example/', types: ['Nothing'] }
  const task = { user_message_content: 'x', stream: false, webhook }
  t.same(await places(api('POST', '/tasks', task)), ['body.webhook.types.0', 'body.webhook.url'])
})

t.test('a change of the secret is refused, and names the request that replaces it', async t => {
  const { hook } = await post(api, '', at)
  const { status, body } = await read(api('PATCH', `/webhooks/${hook.id}`, { secret: secretOf(32) }))
  t.equal(status, 422)
  t.match(body, { detail: [{ loc: ['body', 'secret'], msg: /rotate-secret/ }] })
  const kept = await api('PATCH', `/webhooks/${hook.id}`, { secret: null })
  t.equal(kept.status, 200, 'null means that the field is left out')
})

t.test('a user may have 100 webhooks, and those of tasks do not count', async t => {
  const ann = apiOf(url, await tokenOf('ann of 100'))
  const hook = await receiver(t)
  const made = await Promise.all(Array.from({ length: 101 }, () => ann('POST', '/webhooks', at)))
  t.same(made.map(answer => answer.status).sort(), [...Array.from({ length: 100 }, () => 200), 429])
  const task = { user_message_content: 'x', stream: false, client_id: 'echo', webhook: { url: hook.url } }
  t.equal((await ann('POST', '/tasks', task)).status, 200)
  await hook.until(received => received.length > 0)
})
