import { newFolder } from './support/folder.ts'
import { cpuSecondsOf } from './support/process-use.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { adminToken, type Server, startBareEvents, startOurs } from './support/server.ts'
import { type Subscribers, subscribe } from './support/subscribers.ts'

export const about =
  '1,000 subscribers of one task with 50 tokens/s, against a bare loop that writes the same bytes'

const count = Number(process.env.SUBSCRIBERS ?? 1000)
const tokens = 100
/** The script of the task. It pauses first, and goes on when all subscribers are connected. */
const script = [
  { pause: 'for the subscribers' },
  { message: Array.from({ length: tokens }, (_, n) => `token${n}`).join(' '), delta_ms: 20 },
  { message: 'the end' },
]
/** A text that only the last frame contains: the end of the task object, with its last item. */
const lastOfTask = 'the end"}]}]}'
const lastOfBare = 'the last piece'
/** Streamed text is stored about every 50 ms. */
const pieceEveryMs = 50
const pieces = (tokens * 20) / pieceEveryMs

const post = async <Answer>(url: string, body: object): Promise<Answer> => {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return answer.json() as Promise<Answer>
}

const begin = async ({ url }: Server) => {
  const { result } = await post<{ result: { id: string } }>(`${url}/v1/tasks`, {
    user_message_content: 'talk',
    stream: false,
    background: true,
    agent_config: { agent_id: 'script', script },
  })
  return result.id
}
const resume = ({ url }: Server, id: string) => post(`${url}/v1/tasks/${id}/resume`, {})

/** Characters that reached all subscribers in a second of the talk, and server CPU for it, seconds. */
const deliver = async ({ pid }: Server, swarm: Subscribers, length: number, talk: () => Promise<unknown>) => {
  const before = cpuSecondsOf(pid) ?? 0
  const began = performance.now()
  const all = swarm.untilLast()
  await talk()
  await all
  const seconds = (performance.now() - began) / 1000
  const cpu = (cpuSecondsOf(pid) ?? 0) - before
  swarm.close()
  return { rate: (count * length) / seconds / 1e6, cpu }
}

/** The text that one subscriber gets after the task goes on. */
const textOf = async (ours: Server): Promise<string> => {
  const id = await begin(ours)
  await resume(ours, id)
  const headers = { authorization: `Bearer ${adminToken}`, accept: 'text/event-stream' }
  const answer = await fetch(`${ours.url}/v1/tasks/${id}/events`, { headers })
  const text = await answer.text()
  return text.slice(text.indexOf('event: task.output_item.added'))
}

export const run = async (): Promise<void> => {
  const ours = await startOurs(newFolder('ours'))
  const bare = await startBareEvents()
  const text = await textOf(ours)
  const piece = text.slice(0, Math.round(text.length / pieces))
  const headers = () => `Authorization: Bearer ${adminToken}\r\nAccept: text/event-stream\r\n`
  const cpu = { ours: [] as number[], bare: [] as number[] }
  const rounds = await interleave({
    async bare() {
      const swarm = await subscribe(bare.url, '/', count, { headers, marker: lastOfBare })
      const emitted = { events: pieces, together: 1, everyMs: pieceEveryMs, text: piece, last: lastOfBare }
      const { rate, cpu: used } = await deliver(bare, swarm, text.length, () =>
        post(`${bare.url}/emit`, emitted),
      )
      cpu.bare.push(used)
      return rate
    },
    async ours() {
      const id = await begin(ours)
      const swarm = await subscribe(ours.url, `/v1/tasks/${id}/events`, count, {
        headers,
        marker: lastOfTask,
      })
      const { rate, cpu: used } = await deliver(ours, swarm, text.length, () => resume(ours, id))
      cpu.ours.push(used)
      return rate
    },
  })
  printRatio(`delivered to ${count} subscribers of one task`, rounds.ours, rounds.bare, {
    unit: 'million characters/s',
    target: { atLeast: 0.8, aim: 1 },
  })
  printRatio('  server CPU', cpu.ours.slice(1), cpu.bare.slice(1), {
    unit: 's, the work of the task included',
  })
  console.log(`  each got  ${text.length} characters in about ${pieces} pieces`)
  await ours.stop()
  await bare.stop()
}
