// Messages that a seed reproduces, with every kind of mistake in them. SEED=n repeats a run.
import { randomOf } from '../../support/world.ts'

const seed = Number(process.env.SEED ?? 20_260_728)

const odd: unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, '', 'x', '\u0000', '\ud800', '😀', 'a'.repeat(300), '__proto__', '%00'],
  ...[
    'agent_',
    'agent_none',
    'env_',
    'env_none',
    'task://',
    'task://%',
    'task_x.4',
    [],
    {},
    [[]],
    { a: { b: [{}] } },
  ],
]
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}
const older = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'x', version: '1' },
}
const right: Record<string, Record<string, unknown>> = {
  'server/discover': {},
  initialize: older,
  ping: {},
  'tools/list': {},
  'tools/call': { name: 'agent_echo', arguments: { input: 'x' } },
  'resources/list': {},
  'resources/templates/list': {},
  'resources/read': { uri: 'task://none' },
  'tasks/get': { taskId: 'none' },
  'tasks/update': { taskId: 'none', inputResponses: { a: { action: 'accept', content: {} } } },
  'tasks/cancel': { taskId: 'none' },
  'subscriptions/listen': { notifications: {} },
  'notifications/cancelled': { requestId: 1 },
  'notifications/initialized': {},
  'prompts/get': { name: 'x' },
  'logging/setLevel': { level: 'debug' },
  constructor: {},
}

/** Sends so many messages. Returns what is wrong, and how many answers had each status. */
export const hostileMessages = async (url: string, token: string, count: number) => {
  const random = randomOf(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const often = (share: number) => random() < share

  /** A copy with one place replaced, removed or added. */
  const spoilt = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || often(0.2)) return pick(odd)
    if (Array.isArray(value)) return [...value, pick(odd)]
    const copy: Record<string, unknown> = { ...value }
    const key = pick([
      ...Object.keys(copy),
      'arguments',
      'inputResponses',
      'requestState',
      'cursor',
      'progressToken',
    ])
    if (often(0.2)) delete copy[key]
    else copy[key] = spoilt(copy[key])
    return copy
  }
  const messageFor = (method: string): unknown => {
    const isOlder = often(0.3)
    // Most mistakes are where the methods look: a wrong head reaches none of them.
    const given = often(0.5) ? (spoilt(right[method]) as object) : right[method]
    const params = { ...given, ...(isOlder ? {} : { _meta: meta }) }
    const id = method.startsWith('notifications/') ? {} : { id: pick([1, 'a', 0]) }
    const message = { jsonrpc: '2.0', ...id, method, params }
    if (often(0.05)) return [message, message]
    if (often(0.05)) return { jsonrpc: '2.0', id: pick(odd), result: pick(odd) }
    if (often(0.7)) return message
    const once = spoilt(message)
    return often(0.5) ? once : spoilt(once)
  }
  const headersFor = (method: string, message: unknown): Record<string, string> => {
    const { params } = (message ?? {}) as { params?: { name?: unknown; uri?: unknown; taskId?: unknown } }
    const name = params?.name ?? params?.uri ?? params?.taskId
    const isPlain = typeof name === 'string' && /^[\x21-\x7e]+$/.test(name)
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...(often(0.9)
        ? { 'mcp-protocol-version': often(0.85) ? '2026-07-28' : pick(['2025-11-25', 'v9']) }
        : {}),
      ...(often(0.9) ? { 'mcp-method': method } : {}),
      ...(isPlain && often(0.9) ? { 'mcp-name': name } : {}),
      ...(often(0.2) ? { 'mcp-session-id': pick(['asks.x', 'silent.x', 'none']) } : {}),
    }
  }

  const wrong: string[] = []
  const statuses: Record<number, number> = {}
  const send = async (): Promise<void> => {
    const method = pick(Object.keys(right))
    const message = messageFor(method)
    const body = often(0.03) ? JSON.stringify(message)?.slice(0, -2) : JSON.stringify(message)
    const sent = { method: 'POST', headers: headersFor(method, message), body: body ?? 'x' }
    const response = await fetch(`${url}/mcp`, sent)
    const text = await response.text()
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    if (response.status >= 500 || text.includes('"code":-32603'))
      wrong.push(`${response.status} ${sent.body}: ${text}`)
  }
  for (let sent = 0; sent < count; sent += 10) await Promise.all(Array.from({ length: 10 }, send))
  return { wrong: wrong.slice(0, 10), statuses }
}
