// The server killed, NATS killed, NATS emptied, while tasks run: whoever follows over SSE, over WebSocket or over both
// in turn, and the stream, end with exactly the public events of the log, in order, once.
import { createParser } from 'eventsource-parser'
import t from 'tap'
import { WebSocket } from 'ws'
import { publicEventOf } from '../../src/history/public-events.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { natsServer, noNats, storedIn, streamPosition } from '../support/nats.ts'
import { type Api, adminToken, launch } from '../support/server.ts'
import { randomOf } from '../support/world.ts'
import { storedEvents } from './stored-log.ts'
import { sleep, until } from './wire.ts'

const seed = Number(process.env.SEED ?? 20_260_101)

type Hearing = {
  url: string
  cursor: string
  /** False: it has heard enough on this connection. */
  hear: (id: string, body: string) => boolean
  signal: AbortSignal
  /** How long it takes over each piece. */
  ms: number
}
/** Resolves, or rejects, when the connection is over. */
type Surface = (hearing: Hearing) => Promise<void>

const overSse: Surface = async ({ url, cursor, hear, signal, ms }) => {
  const headers = { authorization: `Bearer ${adminToken}`, 'last-event-id': cursor }
  const answer = await fetch(`${url}/api/events`, { headers, signal })
  if (answer.status !== 200) throw new Error(`refused: ${answer.status}`)
  let goesOn = true
  const parser = createParser({
    onEvent: ({ id = '', data }) => {
      goesOn = goesOn && hear(id, data)
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of answer.body ?? []) {
    parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
    if (!goesOn) return
    if (ms > 0) await sleep(ms)
  }
}

const overSocket: Surface = ({ url, cursor, hear, signal }) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    const leave = () => socket.terminate()
    signal.addEventListener('abort', leave)
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'subscribe', channels: ['tasks', 'agents'], since: cursor })),
    )
    let goesOn = true
    socket.on('message', text => {
      const { id, data } = JSON.parse(String(text)) as { id?: number; data?: object }
      if (id === undefined || !goesOn) return
      goesOn = hear(String(id), JSON.stringify(data))
      if (!goesOn) leave()
    })
    socket.on('error', reject)
    socket.on('close', () => {
      signal.removeEventListener('abort', leave)
      resolve()
    })
  })

/** Follows from the beginning, each time on the next of these surfaces; `piece`: so many events a connection. */
const follower = (url: string, surfaces: Surface[], { ms = 0, piece = Number.POSITIVE_INFINITY } = {}) => {
  const heard: string[] = []
  let cursor = 'earliest'
  let cuts = 0
  const leave = new AbortController()
  const once = (surface: Surface) => {
    let left = piece
    const hear = (id: string, body: string) => {
      cursor = id
      heard.push(`${id} ${body}`)
      return --left > 0
    }
    return surface({ url, cursor, hear, signal: leave.signal, ms })
  }
  const done = (async () => {
    for (let n = 0; !leave.signal.aborted; n++) {
      await once(surfaces[n % surfaces.length] as Surface).catch(() => cuts++)
      if (!leave.signal.aborted) await sleep(10)
    }
  })()
  const close = () => {
    leave.abort()
    return done
  }
  return { heard, cuts: () => cuts, close }
}

t.test(`everybody hears everything once, in one order (SEED=${seed})`, { skip: noNats }, async t => {
  const random = randomOf(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const nats = await natsServer(t)
  const dataDir = t.testdir()
  const env = { PORT: `${await freePort()}`, NATS_URL: nats.url }
  let server = await launch(dataDir, env)
  t.teardown(() => server.end('SIGKILL'))
  const { url, api } = server
  const followers = [
    follower(url, [overSse]),
    follower(url, [overSse], { ms: 40 }),
    follower(url, [overSocket]),
    follower(url, [overSse, overSocket], { piece: 25 }), // moves from one to the other and back
  ]
  const [first] = followers as [ReturnType<typeof follower>]

  let enough = false
  const work = async (api: Api) => {
    for (let n = 0; !enough; n++) {
      const script = [{ message: `a ${n}` }, { tool: 'current_time' }, { message: 'b' }]
      const agent_config = { agent_id: 'script', script }
      const body = { user_message_content: 'go', stream: false, background: true, agent_config }
      await api('POST', '/tasks', body).then(
        answer => answer.text(),
        () => sleep(20),
      )
      await sleep(upTo(20))
    }
  }
  const working = [work(api), work(api)]
  const more = async (count: number) => {
    const enough = first.heard.length + count
    await until('some events are heard', () => first.heard.length >= enough)
  }
  for (const fault of ['kill the server', 'kill NATS', 'empty NATS', 'kill both']) {
    await more(20 + upTo(60))
    if (fault !== 'kill the server') await nats.kill()
    if (fault === 'kill NATS') await more(upTo(30))
    if (/server|both/.test(fault)) {
      await server.end('SIGKILL')
      server = await launch(dataDir, env)
    }
    if (fault !== 'kill the server') await nats.start({ empty: fault === 'empty NATS' })
  }
  await more(50)
  enough = true
  await Promise.all(working)
  await until('every task has ended', async () => {
    const open = await api('GET', '/tasks?status=created&status=queued&status=working')
    return ((await open.json()) as { result: unknown[] }).result.length === 0
  })

  const words = storedEvents(dataDir).flatMap(({ position, stream, type, time, data, ...header }) => {
    const recorded = { position, header: { ...header, stream, type, time }, data }
    const event = publicEventOf(recorded as unknown as Parameters<typeof publicEventOf>[0])
    return event === undefined ? [] : [`${position} ${JSON.stringify(event)}`]
  })
  const last = Number(words.at(-1)?.split(' ')[0])
  const client = await nats.client(t)
  await until('the stream has it all', async () => (await streamPosition(client)) === last)
  const stored = await storedIn(client)
  t.same(
    stored.map(({ headers, body }) => `${headers['Nats-Msg-Id']} ${body}`),
    words,
    'the stream',
  )
  for (const [n, { heard, cuts, close }] of followers.entries()) {
    await until(`follower ${n} has heard all`, () => heard.length >= words.length).catch(() => {})
    t.ok(JSON.stringify(heard) === JSON.stringify(words), `follower ${n}: ${heard.length} of ${words.length}`)
    t.ok(cuts() >= 2, 'it was cut')
    await close()
  }
  t.ok(words.length > 200, `${words.length} events`)
})
