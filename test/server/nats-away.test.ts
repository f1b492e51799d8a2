// A server that is told of a NATS which is not there, comes, goes under load and comes back.
import { jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import { families, sampleOf } from '../http/exposition.ts'
import { read, until } from '../support/http.ts'
import { natsServer, noNats, storedIn, streamPosition } from '../support/nats.ts'
import { refusedStart, spawnServer } from '../support/server.ts'
import { decode, follow } from '../support/sse.ts'
import { storedEvents } from './stored-log.ts'

const echo = (text: string) => ({ user_message_content: text, stream: false, client_id: 'echo' })

t.test(
  'tasks are accepted all the time, and everything arrives: the same on NATS and on SSE',
  { skip: noNats },
  async t => {
    const nats = await natsServer(t, { isAway: true })
    const dataDir = t.testdir()
    const server = await spawnServer(t, dataDir, { NATS_URL: `nats://127.0.0.1:${nats.port}` })
    const { api, url } = server
    t.match(server.stdout(), new RegExp(`^NATS {7}on, nats://127\\.0\\.0\\.1:${nats.port}$`, 'm'))
    const stream = await follow(
      fetch(`${url}/api/events?starting_after=earliest`, {
        headers: { authorization: 'Bearer test-admin-token' },
      }),
    )
    const reading = stream.rest().catch(() => {})
    const heard = () => decode(stream.text()).events
    const work = async (text: string, count: number) => {
      for (let n = 0; n < count; n++) {
        const { status, body } = await read(api('POST', '/tasks', echo(`${text} ${n} \u2028 é`)))
        t.equal(`${status} ${body.result.status}`, '200 completed', `${text} ${n}`)
      }
    }
    const metrics = async () => families(await (await fetch(`${url}/metrics`)).text())

    await work('away', 3)
    await until(() => heard().length === 18)
    t.equal((await fetch(`${url}/readyz`)).status, 200)
    t.equal(sampleOf(await metrics(), 'reprise_nats_connected'), 0)
    t.match(server.stderr(), /"warn","message":"NATS is away/)

    await nats.start()
    await until(async () => sampleOf(await metrics(), 'reprise_nats_connected') === 1)
    await work('here', 3)
    const load = work('under load', 30)
    await until(() => heard().length > 50)
    await nats.kill()
    await load
    await work('away again', 3)
    t.equal((await fetch(`${url}/readyz`)).status, 200)
    await nats.start()
    await work('back', 3)

    const head = storedEvents(dataDir).length
    await until(async () => sampleOf(await metrics(), 'reprise_nats_relay_position') === head)
    await until(() => heard().length === 42 * 6)
    const stored = await storedIn(await nats.client(t))
    t.same(
      stored.map(({ headers, body }) => `${headers['Nats-Msg-Id']} ${headers['ce-type']} ${body}`),
      heard().map(({ id, event, data }) => `${id} ${event} ${data}`),
    )
    const found = await metrics()
    t.equal(sampleOf(found, 'reprise_nats_relay_lag_positions'), 0)
    t.equal(sampleOf(found, 'reprise_nats_relay_stopped'), 0)
    t.ok((sampleOf(found, 'reprise_nats_delivered_events_total', { through: 'nats' }) ?? 0) > 0)
    t.ok((sampleOf(found, 'reprise_nats_delivered_events_total', { through: 'log' }) ?? 0) > 18)
    t.ok((sampleOf(found, 'reprise_nats_reconnects_total') ?? 0) >= 1)

    // What is said last is sent on the way down; and a stop does not wait for NATS.
    await work('last', 1)
    t.same(await server.end('SIGTERM'), [0, null])
    await reading
    const client = await nats.client(t)
    t.equal(
      await streamPosition(client),
      storedEvents(dataDir).findLast(({ type }) => type === 'TaskCompleted')?.position,
    )
    const manager = await jetstreamManager(client)
    t.equal((await manager.streams.info('REPRISE_EVENTS')).state.messages, 43 * 6)
    await nats.kill()
    const next = await spawnServer(t, dataDir, { NATS_URL: nats.url, DRAIN_SECONDS: '0' })
    await next.api('POST', '/tasks', echo('and down'))
    t.same(await next.end('SIGTERM'), [0, null])
  },
)

t.test(
  'a setting that cannot be followed is one line, before anything is opened, and shows no secret',
  { skip: noNats },
  async t => {
    for (const [env, line] of [
      [{ NATS_URL: 'ws://user:hidden@host' }, /NATS_URL begins with ws:\/\/, and only/],
      [
        { NATS_URL: 'nats://host', NATS_CREDS: '/nowhere/user.creds' },
        /^reprise: NATS_CREDS=\/nowhere\/user.creds cannot be read: ENOENT$/,
      ],
    ] as const) {
      const { code, stderr, stdout } = await refusedStart(t.testdir({}), env)
      t.equal(code, 2)
      t.match(stderr.trimEnd(), line)
      t.notMatch(stderr + stdout, /hidden/)
    }
  },
)
