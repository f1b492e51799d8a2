import { createParser } from 'eventsource-parser'
import { newFolder } from './support/folder.ts'
import { cpuSecondsOf } from './support/process-use.ts'
import { createNotes, printDifference } from './support/rounds.ts'
import { adminToken, startModelEndpoint, startOurs } from './support/server.ts'
import { percentile, short } from './support/stats.ts'

export const about =
  'tasks at the pace of a model (5 calls at 50 tokens/s, 4 tools), open loop, against the same calls without Reprise'

const tokens = 40
const calls = 5
const model = `paced-${tokens}`
const taskSeconds = (calls * tokens * 20) / 1000
const share = 0.7
const seconds = Number(process.env.MODEL_SECONDS ?? 15)
const rounds = Number(process.env.MODEL_ROUNDS ?? 5)

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
/** Milliseconds since the time that a token holds. */
const late = (token: string): number => Number(process.hrtime.bigint() / 1000n - BigInt(token)) / 1000

/** The delays of tokens in milliseconds: of the first token of each call, and of the others. */
type Delays = { first: number[]; later: number[] }
const noteTokens = (text: string, heard: { count: number }, delays: Delays) => {
  for (const token of text.match(/\d{6,}/g) ?? []) {
    const list = heard.count++ % tokens === 0 ? delays.first : delays.later
    list.push(late(token))
  }
}

const readEvents = async (answer: Response, onData: (data: string) => void) => {
  const parser = createParser({ onEvent: ({ data }) => onData(data) })
  const decoder = new TextDecoder()
  for await (const bytes of answer.body ?? []) parser.feed(decoder.decode(bytes, { stream: true }))
}

const plainTask = (url: string) => async (delays: Delays) => {
  const heard = { count: 0 }
  const messages: object[] = []
  for (let call = 0; call < calls; call++) {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, stream: true }),
    })
    await readEvents(answer, data => {
      if (data === '[DONE]') return
      noteTokens(JSON.parse(data).choices[0]?.delta.content ?? '', heard, delays)
    })
    messages.push({ role: 'tool', content: '3' })
  }
  if (heard.count !== calls * tokens) throw new Error(`heard ${heard.count} tokens`)
}

const ourTask = (url: string) => async (delays: Delays) => {
  const heard = { count: 0 }
  const answer = await fetch(`${url}/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_message_content: 'go', stream: true }),
  })
  let end = ''
  await readEvents(answer, data => {
    const { result } = JSON.parse(data)
    if (result.type === 'task.text.delta') noteTokens(result.delta, heard, delays)
    end = result.type
  })
  if (end !== 'task.completed' || heard.count !== calls * tokens)
    throw new Error(`${end}, ${heard.count} tokens`)
}

/** Starts tasks at a rate for some seconds and waits for the last one. */
const openLoop = async (rate: number, forSeconds: number, play: (delays: Delays) => Promise<void>) => {
  const delays: Delays = { first: [], later: [] }
  const began = performance.now()
  const all: Promise<void>[] = []
  for (let n = 0; n < rate * forSeconds; n++) {
    const due = began + (n * 1000) / rate
    if (due > performance.now()) await wait(due - performance.now())
    all.push(play(delays))
  }
  await Promise.all(all)
  return { delays, tasks: all.length }
}

export const run = async (): Promise<void> => {
  const endpoint = await startModelEndpoint()
  const ours = await startOurs(newFolder('ours'), [], { MODEL_BASE_URL: `${endpoint.url}/v1`, MODEL: model })
  const cpuOf = async (work: () => Promise<{ tasks: number }>) => {
    const before = cpuSecondsOf(ours.pid) ?? 0
    const { tasks } = await work()
    return ((cpuSecondsOf(ours.pid) ?? 0) - before) / tasks
  }
  // The capacity: the rate at which our server alone would keep one core busy.
  await openLoop(10, 5, ourTask(ours.url))
  const cpu = await cpuOf(() => openLoop(15, 8, ourTask(ours.url)))
  const rate = share / cpu
  console.log(
    `${short(cpu * 1000)} ms of CPU a task; open loop at ${short(rate)}/s: ${short(rate * taskSeconds)} at once`,
  )
  const seen = { first: [[], []], later: [[], []] } as Record<keyof Delays, [number[], number[]]>
  const notes = createNotes()
  for (let round = 0; round < rounds; round++) {
    const plain = await openLoop(rate, seconds, plainTask(endpoint.url))
    let task = plain
    const used = await cpuOf(async () => {
      task = await openLoop(rate, seconds, ourTask(ours.url))
      return task
    })
    notes.add('CPU s/task', used)
    for (const kind of ['first', 'later'] as const) {
      seen[kind][0].push(percentile(task.delays[kind], 0.99))
      seen[kind][1].push(percentile(plain.delays[kind], 0.99))
      notes.add(`${kind} p50 ms`, percentile(task.delays[kind], 0.5))
    }
  }
  for (const kind of ['first', 'later'] as const) {
    const title = `p99 of the delay of ${kind === 'first' ? 'the first token of a call' : 'later tokens'}`
    printDifference(title, ...seen[kind], { unit: 'ms', atMost: kind === 'first' ? 50 : 25 })
  }
  notes.print()
  await ours.stop()
  await endpoint.stop()
}
