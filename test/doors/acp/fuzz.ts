// Lines that no editor should send: `reprise acp` must answer those that ask for something, and must not end.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import fc from '../../support/fast-check.ts'
import { until } from '../../support/http.ts'
import { spawnAcp } from './editor.ts'

const methods = [
  'initialize',
  'authenticate',
  'session/new',
  'session/load',
  'session/list',
  'session/resume',
  'session/prompt',
  'session/cancel',
  'session/set_mode',
  '$/cancel_request',
  'fs/read_text_file',
  '__proto__',
  'constructor',
]
const names = [
  'sessionId',
  'cwd',
  'mcpServers',
  'prompt',
  'cursor',
  'protocolVersion',
  'clientCapabilities',
  '_meta',
]
const odd = fc.constantFrom<unknown>(null, -1, 1e308, '', '\u0000', '/tmp', [], {}, true, 'acp-1', [
  { type: 'text' },
])
const value = fc.oneof(odd, fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 3 }))
const text = fc.string({ maxLength: 20 })
const block = fc.record(
  {
    type: fc.constantFrom('text', 'image', 'audio', 'resource_link', 'resource'),
    text,
    data: text,
    mimeType: fc.constantFrom('image/png', 'audio/wav', ''),
    name: text,
    uri: fc.constantFrom('file:///a.txt', '', '/'),
    resource: fc.record({ uri: text, text }),
  },
  { requiredKeys: ['type', 'text', 'uri', 'name'] },
)
const prompt = fc.oneof(value, fc.array(block, { maxLength: 3 }))
const params = fc.oneof(
  value,
  fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 }),
  fc.record({
    sessionId: fc.constant('acp-1'),
    cwd: fc.constant('/tmp'),
    mcpServers: fc.oneof(value, fc.constant([])),
    prompt,
  }),
)
const id = fc.oneof(fc.integer(), fc.string({ maxLength: 8 }), odd)
const message = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '2.0', '2.0', '1.0'),
    id,
    method: fc.constantFrom(...methods),
    params,
  },
  { requiredKeys: ['jsonrpc', 'method'] },
)
const answer = fc.record(
  { jsonrpc: fc.constant('2.0'), id, result: value, error: value },
  { requiredKeys: ['jsonrpc'] },
)
const cut = fc.tuple(message, fc.nat(40)).map(([given, n]) => JSON.stringify(given).slice(0, -1 - n))
const line = fc.oneof(
  { weight: 6, arbitrary: message.map(given => JSON.stringify(given)) },
  answer.map(given => JSON.stringify(given)),
  fc.array(message, { maxLength: 3 }).map(given => JSON.stringify(given)),
  fc.jsonValue().map(given => JSON.stringify(given)),
  cut,
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.integer({ min: 1, max: 20_000 }).map(depth => '['.repeat(depth)),
)

type Answer = {
  jsonrpc?: unknown
  id?: unknown
  method?: unknown
  result?: unknown
  error?: { code?: unknown; message?: unknown }
}
const isAnswer = ({ jsonrpc, result, error }: Answer): boolean =>
  jsonrpc === '2.0' &&
  (error === undefined
    ? result !== undefined
    : Number.isInteger(error.code) && typeof error.message === 'string')

const key = (id: unknown): string => JSON.stringify(id)
/** How often each id stands in a list. */
const counted = (ids: unknown[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(key(id), (counts.get(key(id)) ?? 0) + 1)
  return counts
}
/** The id of a line that is a request; undefined: it is none. */
const asked = (text: string): unknown => {
  try {
    const { jsonrpc, id, method } = JSON.parse(text) as Answer
    const isId = id === null || typeof id === 'string' || typeof id === 'number'
    return jsonrpc === '2.0' && isId && typeof method === 'string' ? id : undefined
  } catch {
    return undefined
  }
}

/**
 * Sends that many lines to a process that has loaded the session `acp-1`. Each line of stdout must be a message of JSON-RPC, and each
 * request must get its answer.
 */
export const fuzz = async (t: Test, lines: number, env: Record<string, string>): Promise<void> => {
  const child = spawnAcp(t, [], env)
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('reprise acp has pipes')
  child.stderr?.resume() // the SDK tells there of notifications that it cannot read
  const answers: Answer[] = []
  const wrong: string[] = []
  createInterface({ input: stdout }).on('line', text => {
    const read = (() => {
      try {
        return JSON.parse(text) as Answer
      } catch {
        return {}
      }
    })()
    if (!isAnswer(read) && typeof read.method !== 'string') wrong.push(text.slice(0, 300))
    if (read.method === undefined) answers.push(read)
  })
  const send = async (text: string) => {
    if (!stdin.write(`${text}\n`)) await once(stdin, 'drain')
  }
  const request = async (id: string, method: string, given: object): Promise<void> => {
    await send(JSON.stringify({ jsonrpc: '2.0', id, method, params: given }))
    await until(() => child.exitCode !== null || answers.some(({ id: of }) => of === id))
  }
  await request('first', 'initialize', { protocolVersion: 1 })
  await request('load', 'session/load', { sessionId: 'acp-1', cwd: '/tmp', mcpServers: [] })
  const given = fc.sample(line, lines).map(text => text.replace(/[\r\n]/g, ' '))
  for (const text of given) await send(text)
  await request('last', 'session/list', {})

  const requests = counted(given.map(asked).filter(id => id !== undefined))
  const missing = () => {
    const got = counted(answers.map(({ id }) => id))
    return [...requests].filter(([id, count]) => (got.get(id) ?? 0) < count)
  }
  await until(() => child.exitCode !== null || missing().length === 0)
  t.equal(child.exitCode, null, 'it has not ended')
  t.same(missing(), [], 'each request gets its answer')
  t.same(wrong, [], 'each line of stdout is a message of JSON-RPC')
  const codes = counted(answers.map(({ error }) => error?.code ?? 'ok'))
  t.comment(`${given.length} lines, ${answers.length} answers: ${JSON.stringify(Object.fromEntries(codes))}`)
  for (const code of ['ok', -32700, -32600, -32601, -32602])
    t.ok(codes.has(key(code)), `some answers are ${code}`)
}
