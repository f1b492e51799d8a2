// Bodies of runs that a seed reproduces: in some of them anything may be anything. No answer may be a failure of the server, and
// what it streams must be as the protocol wants it.
import { HttpAgent } from '@ag-ui/client'
import { randomOf } from '../../support/world.ts'
import { eventsIn, post } from './clients.ts'

const odd: unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    '',
    'x',
    '\u0000',
    '\ud800',
    '😀',
    'x'.repeat(300),
    '__proto__',
    '../..',
  ],
  ...[[], {}, [[]], [{}], [null], { role: 'user' }, { type: 'text' }, '{"a":', '\r\nid: 7\r\n\r\n'],
]

const bodies = (seed: number) => {
  const random = randomOf(seed)
  const below = (n: number) => Math.floor(random() * n)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const list = <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make)
  let made = 0
  /** Ids of runs and of calls in them, known and unknown ones. */
  const runs = ['run-none']
  const run = () => {
    if (random() < 0.2) return pick(runs)
    runs.push(`run-hostile-${seed}-${made++}`)
    return runs.at(-1) as string
  }
  const call = () => pick(['call_1', 'call_x', 'msg_1', 'nothing']) + pick(['', `.${pick(runs)}`, '.', '..'])
  const part = () =>
    pick<unknown>([
      { type: 'text', text: 'a' },
      { type: 'image', source: { type: 'url', value: 'https://example.com/a.png' } },
      { type: 'audio', source: { type: 'data', value: 'AAAA', mimeType: 'audio/wav' } },
      { type: 'document', source: { type: 'file', value: 'file-1' } },
      { type: 'binary', mimeType: 'application/pdf', data: 'AAAA', filename: 'a.pdf' },
    ])
  const content = () => (random() < 0.7 ? pick(['Hi', '', 'a\nb']) : list(3, part))
  const message = (): unknown => {
    const id = pick(['m1', 'm2', call()])
    return pick<unknown>([
      { id, role: 'user', content: content() },
      { id, role: 'assistant', content: 'said' },
      {
        id,
        role: 'assistant',
        toolCalls: list(2, () => ({ id: call(), type: 'function', function: { name: 'a', arguments: '{' } })),
      },
      { id, role: 'tool', toolCallId: call(), content: content() },
      { id, role: pick(['system', 'developer', 'reasoning']), content: 'Be kind.' },
      { id, role: 'activity', activityType: 'a', content: {} },
    ])
  }
  const body = (): Record<string, unknown> => ({
    threadId: pick(['thread-a', 'thread-b']),
    runId: run(),
    messages: list(5, message),
    ...(random() < 0.3
      ? { tools: list(3, () => ({ name: pick(['paint', 'calculator']), description: '' })) }
      : {}),
    ...(random() < 0.2
      ? { resume: list(2, () => ({ interruptId: call(), status: pick(['resolved', 'cancelled']) })) }
      : {}),
    ...(random() < 0.3 ? { state: pick(odd), forwardedProps: pick(odd) } : {}),
    ...(random() < 0.3 ? { context: list(2, () => ({ description: 'a', value: 'b' })) } : {}),
    ...(random() < 0.5 ? { protocolVersion: pick(['1.0', '0.9', '7.0', 'x']) } : {}),
  })
  /** Replaces something in a value, perhaps deep in it. */
  const spoil = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || random() < 0.2) return pick(odd)
    const keys = Object.keys(value)
    const key = pick([...keys, 'colour'])
    const inner = spoil((value as Record<string, unknown>)[key])
    if (Array.isArray(value)) return value.map((each, n) => (String(n) === key ? inner : each))
    return { ...value, [key]: inner }
  }
  return {
    next: (): unknown => (random() < 0.5 ? body() : spoil(body())),
    cursor: () => (random() < 0.1 ? { 'last-event-id': pick(['0', '3', '-1', '1e9', 'x', '999']) } : {}),
  }
}

/** Lets the protocol's own client read a stream, which throws when the events are not in order. */
export const mustBeInOrder = async (text: string): Promise<void> => {
  const headers = { 'content-type': 'text/event-stream' }
  const agent = new HttpAgent({ url: 'http://127.0.0.1', fetch: async () => new Response(text, { headers }) })
  await agent.runAgent()
}

/** Sends `count` bodies. Returns what was wrong, and how many answers had each status. */
export const beHostile = async (url: string, agent: string, seed: number, count: number) => {
  const { next, cursor } = bodies(seed)
  const wrong: object[] = []
  const statuses: Record<number, number> = {}
  for (let n = 0; n < count; n++) {
    const body = next()
    const headers: Record<string, string> = cursor()
    const answer = await post(url, agent, body, headers)
    const text = await answer.text()
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    if (answer.status >= 500) wrong.push({ body, status: answer.status, text })
    if (answer.status !== 200) continue
    try {
      eventsIn(text)
      if (headers['last-event-id'] === undefined) await mustBeInOrder(text)
    } catch (error) {
      wrong.push({ body, text, error: String(error) })
    }
  }
  return { wrong, statuses }
}
