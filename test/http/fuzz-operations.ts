// Requests for every operation of the OpenAPI document, made from its schemas and examples: valid ones, nearly valid
// ones, and wild ones. Each answer must be one that the document describes for its operation.
import { gzipSync } from 'node:zlib'
import { openApi } from '../../src/documents/openapi.ts'
import { type Described, follow, holdTo } from '../documents/described.ts'
import { randomOf } from '../support/world.ts'

type Json = Record<string, unknown>
type Random = ReturnType<typeof dice>
type Operation = { method: string; path: string; described: Described }
type Sent = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | Buffer | undefined
}

/**
 * Milliseconds after which a request counts as never answered, and after which a stream has been read enough. The server
 * itself waits most of a minute for an environment that does not start, and longer on a busy machine.
 */
const hangMs = 120_000
const streamMs = 250

const dice = (seed: number) => {
  const random = randomOf(seed)
  const below = (n: number) => Math.floor(random() * n)
  return {
    below,
    chance: (p: number) => random() < p,
    pick: <T>(values: readonly T[]): T => values[below(values.length)] as T,
  }
}

const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
const oddText = [
  '',
  ' ',
  'x',
  'NaN',
  'Infinity',
  '-0',
  '1e400',
  'null',
  'true',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '😀',
  '\u202e',
  '\ufeff',
  '../../etc',
  '/',
  '%2e%2e',
  '__proto__',
  'constructor',
  'toString',
  'a b',
  'é',
  "' OR 1=1 --",
  '\r\nX-Injected: y',
  'x'.repeat(257),
  'x'.repeat(5000),
  '2026-02-30T25:61:61Z',
  '9999-12-31T23:59:59.999Z',
  'position:1',
  'position:99999999',
  'position:-1',
  '18446744073709551616',
]
const oddNumbers = [0, -0, -1, 1, 1.5, 2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 53), 1e21, 1e308, 5e-324]
const oddValues: unknown[] = [null, true, false, [], {}, [[]], [{}], [null], { a: {} }, deep(30), deep(70)]
// JSON.parse makes own keys of these names, as a body that is read does.
const oddObjects = ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}', '{"toString":1,"length":-1}']

const wild = ({ pick, chance }: Random): unknown => {
  if (chance(0.4)) return pick(oddText)
  if (chance(0.4)) return pick(oddNumbers)
  return chance(0.2) ? JSON.parse(pick(oddObjects)) : pick(oddValues)
}

/** Values that fit a schema, or nearly: at each place, a wild value may stand instead. */
const valuesOf = (random: Random, document: object, known: Map<string, string[]>) => {
  const { below, chance, pick } = random
  const text = (name: string, schema: Json): string => {
    const ids = known.get(name === 'other' ? 'task_id' : name)
    if (ids !== undefined && chance(0.8)) return pick(ids)
    if (chance(0.2)) return pick(oddText)
    return 'abcdefghijklmnop'.slice(0, Math.max(Number(schema.minLength ?? 0), 1 + below(8)))
  }
  const within = ({ minimum, maximum }: Json): number => {
    const least = Number(minimum ?? 0)
    return least + below(Math.min(Number(maximum ?? least + 5) - least + 1, 5))
  }
  const value = (name: string, schema: Json | boolean, depth: number): unknown => {
    if (typeof schema === 'boolean' || chance(0.02)) return wild(random)
    if (typeof schema.$ref === 'string') return value(name, follow(document, schema.$ref) as Json, depth)
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum)) return pick(schema.enum)
    const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
    if (branches !== undefined) return value(name, pick(branches), depth)
    if (Array.isArray(schema.allOf))
      return Object.assign({}, ...(schema.allOf as Json[]).map(part => value(name, part, depth)))
    if (schema.type === 'object') return object(schema, depth)
    if (schema.type === 'array') {
      const length = depth > 6 ? 0 : Math.max(below(4), Number(schema.minItems ?? 0))
      return Array.from({ length }, () => value(name, (schema.items ?? true) as Json, depth + 1))
    }
    if (schema.type === 'string') return text(name, schema)
    if (schema.type === 'integer') return within(schema)
    if (schema.type === 'number') return within(schema) + below(2) / 2
    if (schema.type === 'boolean') return chance(0.5)
    return schema.type === 'null' ? null : wild(random)
  }
  const object = (schema: Json, depth: number): unknown => {
    const required = (schema.required ?? []) as string[]
    const made = Object.entries((schema.properties ?? {}) as Record<string, Json>)
      .filter(([name]) => (required.includes(name) ? chance(0.98) : chance(depth > 6 ? 0 : 0.15)))
      .map(([name, part]) => [name, value(name, part, depth + 1)])
    const more = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
    if (more !== undefined) made.push([pick(oddText), value('', more as Json, depth + 1)])
    if (chance(0.05)) made.push([pick(oddText), wild(random)])
    return Object.fromEntries(made)
  }
  return value
}

/** Changes one place of a value: removes it, or puts a wild value there. */
const mutated = (random: Random, given: unknown): unknown => {
  if (typeof given !== 'object' || given === null || random.chance(0.1)) return wild(random)
  const copy = structuredClone(given) as Json
  const key = random.pick(Object.keys(copy))
  if (key === undefined) return wild(random)
  if (random.chance(0.2)) delete copy[key]
  else copy[key] = mutated(random, copy[key])
  return copy
}

/** Spoils the text of a body. */
const spoiled = ({ below, pick }: Random, text: string): string | Buffer => {
  const at = below(text.length)
  const with_ = (part: string) => text.slice(0, at) + part + text.slice(at + 1)
  return pick<() => string | Buffer>([
    () => text.slice(0, at),
    () => text + text,
    () => with_(pick(['\u0000', '"', '{', ',', '\\u', '\\ud800', '1e', '\t', '\n'])),
    () =>
      Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff, 0xc0]), Buffer.from(text.slice(at))]),
    () => text.replace('{', '{"session_id":"a","session_id":"b","stream":1,'),
    () => `\ufeff${text}`,
    () => '['.repeat(100_000),
    () => text.replaceAll(/\d+/g, () => pick(['1e999', '-', '01', '0x1', '9'.repeat(400)])),
  ])()
}

/** An endless source of requests. `known` has values that exist by the name of their field; it may grow. */
const requestsOf = (
  seed: number,
  token: string,
  operations: Operation[],
  document: object,
  known: Map<string, string[]>,
) => {
  const random = dice(seed)
  const { chance, pick } = random
  const value = valuesOf(random, document, known)
  const parameter = (name: string, schema: Json): string => {
    if (chance(0.15)) return pick(oddText)
    const made = value(name, schema, 5)
    return typeof made === 'string' ? made : JSON.stringify(made)
  }
  const bodyOf = ({ requestBody }: Described): string | Buffer | undefined => {
    const media = requestBody?.content['application/json']
    if (media === undefined) return chance(0.9) ? undefined : pick(['', '{}', 'x', '[]'])
    if (chance(0.02)) return undefined
    const examples = Object.values(media.examples ?? {}).map(example => example.value)
    let made = chance(0.5) && examples.length > 0 ? pick(examples) : value('', media.schema, 0)
    for (let times = random.below(3); times > 0; times--) made = mutated(random, made)
    const text = JSON.stringify(made) ?? ''
    return chance(0.08) ? spoiled(random, text) : text
  }
  const next = (): Sent => {
    const { method, path, described } = pick(operations)
    const parameters = described.parameters.map(each =>
      each.$ref === undefined ? each : (follow(document, each.$ref) as typeof each),
    )
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(Buffer.from(parameter(name, { type: 'string' })).toString()),
    )
    const query = parameters
      .filter(each => each.in === 'query' && chance(0.3))
      .map(
        ({ name, schema }) =>
          `${name}=${encodeURIComponent(Buffer.from(parameter(name, schema)).toString())}`,
      )
    if (chance(0.03))
      query.push(pick(['x=1', '=', '__proto__=1', 'limit[]=1', 'limit=1&limit=2', '%zz', 'a%00=b']))
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    for (const { name, schema } of parameters.filter(each => each.in === 'header' && chance(0.15)))
      headers[name.toLowerCase()] = parameter(name, schema).replaceAll(/[^\x20-\x7e]/g, '?')
    if (chance(0.15)) headers.accept = pick(['text/event-stream', 'application/x-ndjson', '*/*', 'x', ''])
    let body = method === 'GET' ? undefined : bodyOf(described)
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (body !== undefined && chance(0.03))
      headers['content-type'] = pick([
        'text/plain',
        'application/json; charset=latin1',
        'x',
        'application/cloudevents+json',
      ])
    if (body !== undefined && chance(0.02)) {
      headers['content-encoding'] = pick(['gzip', 'br', 'identity', 'x'])
      if (headers['content-encoding'] === 'gzip') body = gzipSync(body)
    }
    return { method, url: query.length === 0 ? url : `${url}?${query.join('&')}`, headers, body }
  }
  return next
}

/** Reads an answer. Of an event stream, it reads the frames that come within a moment. */
const readAnswer = async (base: string, { method, url, headers, body }: Sent) => {
  const abort = new AbortController()
  let isStream = false
  const timer = setTimeout(() => abort.abort(), hangMs)
  let text = ''
  let head!: Response
  try {
    head = await fetch(base + url, {
      method,
      headers,
      signal: abort.signal,
      ...(body === undefined ? {} : { body }),
    })
    isStream = head.headers.get('content-type') === 'text/event-stream'
    if (isStream) setTimeout(() => abort.abort(), streamMs)
    const decoder = new TextDecoder()
    for await (const chunk of head.body ?? []) text += decoder.decode(chunk, { stream: true })
  } catch (error) {
    if (!isStream)
      return { problem: abort.signal.aborted ? 'no answer' : `${error} ${(error as Error).cause}` }
    text = text.slice(0, text.lastIndexOf('\n\n') + 2)
  } finally {
    clearTimeout(timer)
  }
  return { status: head.status, headers: head.headers, text }
}

const idFields = [
  'task_id',
  'session_id',
  'job_id',
  'webhook_id',
  'token_id',
  'call_id',
  'delivery_id',
  'env_id',
  'tool_name',
]

/** Remembers the ids in an answer, so that later requests meet things that exist. */
const learn = (known: Map<string, string[]>, sent: Sent, text: string): void => {
  const add = (name: string, id: string) => {
    const ids = known.get(name) ?? []
    known.set(name, [...ids.filter(each => each !== id), id].slice(-30))
  }
  for (const name of idFields)
    for (const [, id = ''] of text.matchAll(new RegExp(`"${name}":"([\\x21-\\x7e]{1,100}?)"`, 'g')))
      add(name, id)
  const kind = { '/v1/tasks': 'task_id', '/v1/webhooks': 'webhook_id', '/v1/auth/tokens': 'token_id' }[
    sent.url
  ]
  const id = /"id":"((?:task|wh|tok)_[\w-]+)"/.exec(text)?.[1]
  if (kind !== undefined && id !== undefined) add(kind, id)
}

/**
 * Sends random requests to every operation, eight at a time. Resolves to what was wrong with their answers, and to the
 * number of answers by status.
 */
export const fuzzOperations = async (base: string, token: string, seed: number, requests: number) => {
  const { document, operations, look, wrong: misfits } = holdTo(openApi())
  const known = new Map<string, string[]>([
    ['env_id', ['gridworld', 'chess', 'gridworld']],
    ['agent_id', ['echo', 'script', 'demo', 'group']],
    ['client_id', ['echo', 'script', 'demo', 'default']],
    ['timezone', ['UTC', 'Europe/Berlin', 'Mars/Phobos']],
    ['schedule', ['* * * * *', '0 0 31 2 *', '*/5 * * * * *', '61 * * * *', '@daily']],
    [
      'url',
      [
        'http://127.0.0.1:9/',
        'https://example.invalid/x',
        'file:///etc/passwd',
        'http://[::1]/',
        'http://a:b@c/',
      ],
    ],
    ['at', ['2030-01-01T00:00:00Z', '1', '0']],
  ])
  const source = requestsOf(
    seed,
    token,
    operations.filter(({ path }) => path !== '/ws'),
    document,
    known,
  )
  const wrong: unknown[] = []
  const statuses: Record<string, number> = {}
  const one = async () => {
    const sent = source()
    const answer = await readAnswer(base, sent)
    const shown = { ...sent, body: sent.body?.toString().slice(0, 2000) }
    if ('problem' in answer) return void wrong.push({ ...shown, problem: answer.problem })
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    learn(known, sent, answer.text)
    if (answer.status >= 500)
      wrong.push({ ...shown, problem: `${answer.status}`, text: answer.text.slice(0, 500) })
    // A path that is longer than the router reads, or that fetch has made shorter, is another path.
    const others = ['-32601,"message":"the ', '"message":"the path has an empty ']
    if (others.some(text => answer.text.includes(text))) return
    const before = misfits.length
    try {
      look({ method: sent.method, url: sent.url }, answer)
    } catch (error) {
      wrong.push({ ...shown, problem: `unreadable: ${error}`, text: answer.text.slice(0, 500) })
    }
    // Bodies are made to be nearly valid: what the server takes of them is not compared with the document here.
    const real = misfits.slice(before).filter(each => !each.includes('took a body'))
    for (const problem of real) wrong.push({ ...shown, problem })
  }
  for (let sent = 0; sent < requests; sent += 8) await Promise.all(Array.from({ length: 8 }, one))
  return { wrong, statuses }
}
