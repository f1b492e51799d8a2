// Real exchanges held against the OpenAPI document: each answer must be one that the document gives its operation,
// with no field that the document does not name.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Api } from '../support/server.ts'
import { decode } from '../support/sse.ts'

type Json = Record<string, unknown>
type Media = { schema: Json; 'x-itemSchema'?: Json; examples?: Record<string, { value: unknown }> }
type Content = Record<string, Media>
export type Described = {
  operationId: string
  parameters: { $ref?: string; in: string; name: string; schema: Json }[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { $ref?: string; content?: Content; headers?: Json }>
}
export type Document = { paths: Record<string, Record<string, Described>>; components: Record<string, Json> }

/** Every schema that stands in a schema. */
const within = (schema: Json): Json[] =>
  [
    ...Object.values((schema.properties ?? {}) as Json),
    ...((schema.anyOf ?? []) as Json[]),
    ...((schema.allOf ?? []) as Json[]),
    ...[schema.items, schema.additionalProperties].filter(part => typeof part === 'object'),
  ].filter((part): part is Json => typeof part === 'object' && part !== null)

/** Objects take other fields only where the document says so. */
const close = (schema: Json): void => {
  for (const part of within(schema)) close(part)
  if (schema.type === 'object' && schema.properties !== undefined) schema.additionalProperties ??= false
}

/** What a reference leads to. */
export const follow = (document: object, reference: string): unknown =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((at, key) => (at as Json | undefined)?.[key.replaceAll('~1', '/')], document)

export const referencesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const { $ref } = value as Json
  return [...(typeof $ref === 'string' ? [$ref] : []), ...Object.values(value).flatMap(referencesIn)]
}

/** Every operation, with its method and path. */
export const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, described })),
  )

export const holdTo = (given: object) => {
  const document = structuredClone(given) as Document
  const { schemas = {}, responses = {} } = document.components
  for (const schema of Object.values(schemas)) close(schema as Json)
  const operations = operationsOf(document)
  const contents = [
    ...operations.flatMap(({ described }) => Object.values(described.responses)),
    ...Object.values(responses as Described['responses']),
  ].flatMap(({ content }) => Object.values(content ?? {}))
  for (const media of contents)
    for (const part of [media.schema, media['x-itemSchema']]) if (part) close(part)

  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false })
  ajv.addSchema(document, 'document')
  const compiled = new Map<Json, ReturnType<typeof ajv.compile>>()
  const problemsOf = (schema: Json, value: unknown): string[] => {
    const rebased = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as Json
    const check = compiled.get(schema) ?? ajv.compile(rebased)
    compiled.set(schema, check)
    if (check(value)) return []
    return (check.errors ?? []).map(
      error => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
    )
  }

  const find = (method: string, url: string) => {
    const path = url.split('?', 1)[0] ?? ''
    const fitting = operations.filter(
      each => each.method === method && new RegExp(`^${each.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
    )
    // Of the paths that fit, the one with the fewest parameters is that of the route.
    const parameters = (each: string) => each.split('{').length
    return fitting.toSorted((a, b) => parameters(a.path) - parameters(b.path))[0]?.described
  }

  const seen = new Set<string>()
  const wrong: string[] = []

  /** Looks at one exchange: what is wrong with it, and what was seen. */
  const look = (
    { method, url, body }: { method: string; url: string; body?: unknown },
    { status, headers, text }: { status: number; headers: Headers; text: string },
  ): void => {
    const described = find(method, url)
    const name = `${described?.operationId} ${status}`
    const fail = (what: string) => wrong.push(`${method} ${url} ${status}: ${what} ${text.slice(0, 300)}`)
    const response = described?.responses[status]
    if (described === undefined || response === undefined) return void fail('is not described')
    const { content, headers: named = {} } = (
      response.$ref === undefined ? response : follow(document, response.$ref)
    ) as typeof response
    for (const header of ['x-request-id', 'x-api-version']) if (!headers.has(header)) fail(`has no ${header}`)
    for (const header of [
      'x-task-id',
      'content-location',
      'idempotency-replayed',
      'link',
      'retry-after',
      'x-should-retry',
      'www-authenticate',
    ])
      if (headers.has(header) && !Object.keys(named).some(each => each.toLowerCase() === header))
        fail(`has ${header}`)
    const sent = described.requestBody?.content['application/json']
    const isLeftOut = described.requestBody?.required === false && body === undefined
    if (status === 200 && sent !== undefined && !isLeftOut)
      for (const problem of problemsOf(sent.schema, body)) fail(`took a body that ${problem}`)

    const type = headers.get('content-type')?.split(';', 1)[0]
    seen.add(type === undefined || status !== 200 ? name : `${name} ${type}`)
    if (content === undefined) return void (text === '' || fail('has a body'))
    const media = content[type ?? '']
    if (media === undefined) return void fail(`is ${type}`)
    const { schema, 'x-itemSchema': items } = media
    if (type === 'application/json') {
      for (const problem of problemsOf(schema, JSON.parse(text))) fail(problem)
      return
    }
    if (items === undefined) return
    const values =
      type === 'text/event-stream'
        ? decode(text)
            .events.map(({ data }) => data)
            .filter(data => data !== '[DONE]') // the end of a stream of chat completions
        : text.split('\n').filter(line => line !== '')
    for (const value of values)
      for (const problem of problemsOf(items, JSON.parse(value))) fail(`${value.slice(0, 200)}: ${problem}`)
  }

  /** Calls below /v1 whose answers are looked at, once they are whole. */
  const watched =
    (api: Api): Api =>
    async (method, where, body, headers) => {
      const response = await api(method, where, body, headers)
      const text = await response.text()
      look({ method, url: `/v1${where}`, body }, { status: response.status, headers: response.headers, text })
      return new Response(response.status === 204 ? null : text, response)
    }

  return { document, operations, problemsOf, look, watched, seen, wrong }
}
