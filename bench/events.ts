import { newFolder } from './support/folder.ts'
import { littleRoom, printIdleMemory } from './support/idle-memory.ts'
import { cpuSecondsOf } from './support/process-use.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { adminToken, type Server, startBareEvents, startOurEvents } from './support/server.ts'
import { type Subscribers, subscribe } from './support/subscribers.ts'

export const about =
  '/api/events with 1,000 subscribers, against bare node:http; and the cost when each sees only its own events'

const count = 1000
const events = Number(process.env.EVENTS ?? 400)
const marker = '"title":"last"'
const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

const post = async (url: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return answer.json() as Promise<Record<string, string>>
}
const frame = (title: string) =>
  `id: 123456\nevent: TaskCreated\ndata: {"type":"TaskCreated","timestamp":"2026-01-01T00:00:00.000Z",` +
  `"task_id":"bench-123456","title":"${title}","session_id":"session-bench-123456","user_id":"user-0","status":"created"}\n\n`

export const run = async (): Promise<void> => {
  const bare = await startBareEvents()
  const ours = await startOurEvents(newFolder('ours'))
  const auth = (token: string) => () => `Authorization: Bearer ${token}\r\n`
  const everything = (server: Server, path: string, many = count) =>
    subscribe(server.url, path, many, { headers: auth(adminToken), marker })

  /** Resolves to the events per second that reach all subscribers, and to the CPU time of the server for each event. */
  const deliver = async (
    server: Server,
    swarm: Subscribers,
    emit: () => Promise<unknown>,
  ): Promise<{ rate: number; cpu: number }> => {
    const before = cpuSecondsOf(server.pid) ?? 0
    const began = performance.now()
    const all = swarm.untilLast()
    await emit()
    await all
    const seconds = (performance.now() - began) / 1000
    return { rate: events / seconds, cpu: (((cpuSecondsOf(server.pid) ?? 0) - before) * 1e6) / events }
  }
  const text = frame('Message 100')
  const emitBare = (together: number) => () =>
    post(`${bare.url}/emit`, { events, together, text, last: frame('last') })
  const emitOurs =
    (together: number, users = 1) =>
    () =>
      post(`${ours.emitUrl}/emit`, { events, together, users })

  const idle = (server: Server, many: number) => everything(server, '/api/events', many)
  await printIdleMemory(
    'memory of an idle stream',
    async () => ({ server: await startOurEvents(newFolder('idle'), littleRoom), subscribe: idle }),
    async () => ({ server: await startBareEvents(littleRoom), subscribe: idle }),
    { atMost: 1.3 },
  )
  const bareSwarm = await everything(bare, '/api/events')
  const ourSwarm = await everything(ours, '/api/events')
  await wait(1000)

  for (const together of [1, 10]) {
    const cpu = { ours: [] as number[], bare: [] as number[] }
    const rounds = await interleave({
      bare: async () => {
        const { rate, cpu: used } = await deliver(bare, bareSwarm, emitBare(together))
        cpu.bare.push(used)
        return rate
      },
      ours: async () => {
        const { rate, cpu: used } = await deliver(ours, ourSwarm, emitOurs(together))
        cpu.ours.push(used)
        return rate
      },
    })
    const how = together === 1 ? 'one by one' : `in bursts of ${together}`
    printRatio(`events ${how}, ${count} subscribers`, rounds.ours, rounds.bare, {
      unit: 'events/s',
      target: together === 1 ? { atLeast: 1, aim: 1.3 } : { atLeast: 1.2, aim: 1.5 },
    })
    printRatio('  server CPU an event', cpu.bare.slice(1), cpu.ours.slice(1), {
      unit: 'µs (ours stands below)',
      target: together === 1 ? { atLeast: 1, aim: 1.3 } : { atLeast: 1.2, aim: 1.5 },
    })
  }
  ourSwarm.close()
  bareSwarm.close()
  await wait(500)

  // Each of 1,000 users sees a thousandth of the events. The baseline is one user who sees all events.
  const tokens: string[] = []
  for (let n = 0; n < count; n++) {
    const made = await post(
      `${ours.url}/v1/auth/tokens`,
      { role: 'subscriber', user_id: `user-${n}` },
      { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    )
    tokens.push(made.token ?? '')
  }
  const each = { many: [] as number[], one: [] as number[] }
  const cost = async (swarm: Subscribers, users: number) => {
    const before = cpuSecondsOf(ours.pid) ?? 0
    const all = swarm.untilLast()
    await post(`${ours.emitUrl}/emit`, { events: 5 * count, together: 10, users })
    await all
    return (((cpuSecondsOf(ours.pid) ?? 0) - before) * 1e6) / (5 * count)
  }
  for (let round = 0; round < 5; round++) {
    const one = await subscribe(ours.url, '/api/events', 1, { headers: auth(adminToken), marker })
    each.one.push(await cost(one, 1))
    one.close()
    const many = await subscribe(ours.url, '/api/events', count, {
      headers: n => `Authorization: Bearer ${tokens[n]}\r\n`,
      marker,
    })
    each.many.push(await cost(many, count))
    many.close()
    await wait(200)
  }
  printRatio('1,000 subscribers of 1,000 users: CPU an event', each.many, each.one, {
    unit: 'µs',
    target: { atMost: 3 },
  })
  await ours.stop()
  await bare.stop()
}
