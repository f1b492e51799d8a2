// Answers without bound: lists, pages and histories of huge tasks, asked for many at a time, read slowly or not at all.
import { WebSocket } from 'ws'
import { type Attack, idOf, playing, sleep } from './hand.ts'

const tenMiB = Buffer.from(
  JSON.stringify({
    user_message_content: 'x'.repeat(10 << 20),
    stream: false,
    background: true,
    client_id: 'echo',
  }),
)
/** Each holds its text several times, in the log and in what is read of it. */
const hugeTasks = 40

export const hugeLists: Attack = async hand => {
  const ids: string[] = []
  for (let n = 0; n < hugeTasks && !hand.over(); n++) {
    const { status, text } = await hand.call('huge tasks', 'POST', '/v1/tasks', tenMiB)
    if (status === 200) ids.push(idOf(text))
    await sleep(100)
  }
  const someId = () => ids[Math.floor(Math.random() * ids.length)] ?? 'none'
  const paths = [
    () => '/v1/tasks?limit=20',
    () => '/v1/tasks?limit=100',
    () => `/v1/tasks/${someId()}/events?limit=1000`,
    () => `/v1/tasks/${someId()}?as_of=2`,
    () => `/v1/tasks/${someId()}/rollouts?format=atif`,
    () => '/v1/rollouts?limit=1000',
    () => '/v1/audit/events?limit=1000',
    () => `/v1/tasks/${someId()}`,
  ]
  let n = 0
  const ask = (silentMs: number) => {
    const path = paths[n++ % paths.length]?.() ?? ''
    return hand.call('huge answers', 'GET', path, undefined, { most: 32 << 20, silentMs })
  }
  const replays = hand.workers(2, 200, () =>
    hand.call('huge replays', 'POST', `/v1/tasks/${someId()}/replay`),
  )
  await Promise.all([hand.workers(4, 50, () => ask(0)), hand.workers(40, 500, () => ask(5000)), replays])
}

export const manyDeltas: Attack = async hand => {
  const words = 'word '.repeat(2000)
  const { text } = await hand.post('many frames', '/v1/tasks', playing(Array(200).fill({ message: words })))
  const path = `/v1/tasks/${idOf(text)}/events`
  await hand.workers(8, 20, () => hand.call('event pages', 'GET', `${path}?limit=1000`))
}

/** As many streams as can be had, none of them read. */
export const manyStreams: Attack = async hand => {
  let open = 0
  await hand.workers(10, 20, async () => {
    if (open > 4000) return void (await sleep(1000))
    const socket = await hand.socket(hand.head('GET', '/api/events?starting_after=earliest', ''))
    if (socket === undefined) return
    open++
    socket.once('data', chunk => {
      const text = chunk.toString('latin1')
      hand.note('event streams', Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0), text)
      socket.pause()
    })
    socket.once('close', () => open--)
  })
}

/** As many WebSockets as can be had; some of them flood commands. */
export const manySockets: Attack = async hand => {
  let open = 0
  const base = hand.url.replace('http', 'ws')
  await hand.workers(4, 50, async () => {
    if (open > 1500) return void (await sleep(1000))
    const socket = new WebSocket(`${base}/ws`, { headers: { authorization: hand.authorization } })
    open++
    let flood: NodeJS.Timeout | undefined
    socket.on('unexpected-response', (_, answer) => {
      let text = ''
      answer.on('data', chunk => (text += chunk))
      answer.on('close', () => hand.note('WebSockets', answer.statusCode ?? 0, text))
      socket.terminate()
    })
    socket.on('open', () => {
      hand.note('WebSockets', 101, '')
      socket.send(JSON.stringify({ type: 'subscribe', channels: ['tasks', 'sessions', 'agents'], since: 0 }))
      if (open % 100 !== 0) return socket.pause()
      const create = JSON.stringify({ type: 'create', request_id: 'r', data: playing([{ sleep_ms: 1 }]) })
      flood = setInterval(() => {
        for (let n = 0; n < 20; n++) socket.send(create)
      }, 100)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(flood)
      open--
    })
  })
}
