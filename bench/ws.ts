import { newFolder } from './support/folder.ts'
import { littleRoom, printIdleMemory } from './support/idle-memory.ts'
import { cpuSecondsOf } from './support/process-use.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { adminToken, type Server, startBareSocket, startOurEvents } from './support/server.ts'
import { type Subscribers, subscribe } from './support/subscribers.ts'

export const about = '/ws with 1,000 subscribers, against bare ws sending the same bytes'

const count = Number(process.env.SUBSCRIBERS ?? 1000)
const events = Number(process.env.EVENTS ?? 400)
const marker = '"title":"last"'
const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

const post = async (url: string, body: object): Promise<void> => {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}
/** The frame of a short text message from a client, masked with zeros. */
const frameOf = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])
const handshake =
  `Authorization: Bearer ${adminToken}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
const event = (title: string) =>
  `{"channel":"tasks","type":"TaskCreated","data":{"type":"TaskCreated","timestamp":"2026-01-01T00:00:00.000Z",` +
  `"task_id":"bench-123456","title":"${title}","session_id":"session-bench-123456","user_id":"user-0","status":"created"},` +
  `"timestamp":"2026-01-01T00:00:00.000Z","id":123456}`

export const run = async (): Promise<void> => {
  const bare = await startBareSocket()
  const ours = await startOurEvents(newFolder('ours'))
  const connect = (server: Server, channels: string[], many = count) =>
    subscribe(server.url, '/ws', many, {
      headers: () => handshake,
      first: frameOf(JSON.stringify({ type: 'subscribe', channels })),
      alive: pong,
      marker,
    })

  /** Resolves to the events per second that reach all subscribers, and to the CPU time of the server for each event. */
  const deliver = async (server: Server, swarm: Subscribers, emit: () => Promise<unknown>) => {
    const before = cpuSecondsOf(server.pid) ?? 0
    const began = performance.now()
    const all = swarm.untilLast()
    await emit()
    await all
    const seconds = (performance.now() - began) / 1000
    return { rate: events / seconds, cpu: (((cpuSecondsOf(server.pid) ?? 0) - before) * 1e6) / events }
  }
  const emitBare = (together: number) => () =>
    post(`${bare.url}/emit`, { events, together, text: event('Message 100'), last: event('last') })
  const emitOurs = (together: number) => () => post(`${ours.emitUrl}/emit`, { events, together })

  const allChannels = ['tasks', 'agents', 'group', 'cron']
  await printIdleMemory(
    'memory of an idle subscriber',
    async () => ({
      server: await startOurEvents(newFolder('idle'), littleRoom),
      subscribe: (server, many) => connect(server, allChannels, many),
    }),
    async () => ({
      server: await startBareSocket(littleRoom),
      subscribe: (server, many) => connect(server, ['tasks'], many),
    }),
  )
  const bareSwarm = await connect(bare, ['tasks'])
  let ourSwarm = await connect(ours, allChannels)
  await wait(1000)

  const compare = async (what: string, together: number) => {
    const cpu = { ours: [] as number[], bare: [] as number[] }
    const measured =
      (side: 'ours' | 'bare', server: Server, swarm: Subscribers, emit: () => Promise<unknown>) =>
      async () => {
        const { rate, cpu: used } = await deliver(server, swarm, emit)
        cpu[side].push(used)
        return rate
      }
    const rounds = await interleave({
      bare: measured('bare', bare, bareSwarm, emitBare(together)),
      ours: measured('ours', ours, ourSwarm, emitOurs(together)),
    })
    printRatio(`events ${what}, ${count} subscribers`, rounds.ours, rounds.bare, {
      unit: 'events/s',
      target: { atLeast: 1, aim: 1.2 },
    })
    printRatio('  server CPU an event', cpu.bare.slice(1), cpu.ours.slice(1), {
      unit: 'µs (ours stands below)',
      target: { atLeast: 1, aim: 1.2 },
    })
  }
  await compare('one by one', 1)
  await compare('in bursts of 10', 10)
  for (const channels of [['tasks'], ['tasks', 'sessions']]) {
    ourSwarm.close()
    await wait(500)
    ourSwarm = await connect(ours, channels)
    await wait(500)
    await compare(`one by one on ${channels.join(' and ')}`, 1)
  }
  ourSwarm.close()
  bareSwarm.close()
  await ours.stop()
  await bare.stop()
}
