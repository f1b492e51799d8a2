// The event WebhookDisabled, as the contract has it, on /api/events, /ws, NATS and another webhook.
import t from 'tap'
import { read, until } from '../support/http.ts'
import { natsServer, noNats, storedIn } from '../support/nats.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { receiver, status } from '../webhooks/receiver.ts'
import { listen, type Stream } from './event-streams.ts'
import { openSocket } from './socket/client.ts'

const nats = noNats ? undefined : await natsServer(t)
const { api, url } = await serveHere(t, {
  ALLOW_PRIVATE_URLS: '1',
  ...(nats === undefined ? {} : { NATS_URL: nats.url }),
})
const tokenOf = async (user: string) =>
  ((await (await api('POST', '/auth/tokens', { role: 'user', user_id: user })).json()) as { token: string })
    .token
const idOf = async (asked: Promise<Response>) => ((await read(asked)).body as unknown as { id: string }).id
const echo = { user_message_content: 'x', stream: false, client_id: 'echo' }
const type = 'WebhookDisabled'

t.test('a webhook whose receiver is gone is an event for its user everywhere, and for no other', async t => {
  const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')]
  const api = apiOf(url, ann)
  const sse = await listen(url, { query: `types=${type},TaskCreated`, token: ann })
  const ofBob = await listen(url, { query: `types=${type},TaskCreated`, token: bob })
  const of = ({ heard }: Stream, name: string) => heard().filter(event => event.type === name)
  const socket = await openSocket(url, { token: ann })
  await socket.ask({ type: 'subscribe', channels: ['webhooks'] })
  const watcher = await receiver(t)
  await api('POST', '/webhooks', { url: watcher.url, types: [type] })
  const gone = await receiver(t, [status(410)])
  const id = await idOf(api('POST', '/webhooks', { url: gone.url, types: ['TaskCreated'] }))
  await api('POST', '/tasks', echo)

  await until(() => of(sse, type).length === 1)
  const [heard] = of(sse, type)
  t.same(Object.keys(heard?.body ?? {}), ['type', 'timestamp', 'webhook_id', 'reason'])
  t.match(heard, { type, body: { type, webhook_id: id, reason: 'gone' } })
  t.match((await read(api('GET', `/webhooks/${id}`))).body, { status: 'disabled', disabled_reason: 'gone' })
  await until(() => socket.told().length === 1)
  t.match(socket.told(), [{ channel: 'webhooks', id: heard?.id, data: heard?.body }], 'on /ws')
  const [sent] = await watcher.until(received => received.length === 1)
  const { webhook_id, reason } = { ...heard?.body }
  t.match(sent, { id: String(heard?.id), event: { type, data: { webhook_id, reason } } }, 'on a webhook')
  if (nats !== undefined) {
    const connection = await nats.client(t)
    const all = async () => (await storedIn(connection)).filter(({ subject }) => subject.includes(type))
    await until(async () => (await all()).length === 1)
    const [message] = await all()
    t.same(JSON.parse(message?.body ?? ''), heard?.body, 'on NATS')
    t.match(message?.subject, `.webhook.${type}.${id}`)
  }

  await api('PATCH', `/webhooks/${id}`, { enabled: true })
  await api('PATCH', `/webhooks/${id}`, { enabled: false })
  await api('POST', '/tasks', echo)
  await apiOf(url, bob)('POST', '/tasks', echo)
  await until(() => of(sse, 'TaskCreated').length === 2 && of(ofBob, 'TaskCreated').length === 1)
  t.equal(of(sse, type).length, 1, 'what the user disables gives no event')
  t.equal(of(ofBob, type).length, 0, 'another user hears nothing')
  await Promise.all([socket.cut(), sse.cut(), ofBob.cut()])
})
