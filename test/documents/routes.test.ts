// The table of operations and the server are one: every route has its entry, every entry its route, and what the entry
// says of who may ask and what may be given is so.
import { subscribe } from 'node:diagnostics_channel'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type FastifyInstance, fastify, type RouteOptions } from 'fastify'
import t from 'tap'
import { rolesOf } from '../../src/access/roles.ts'
import { roles } from '../../src/contract/events/token-events.ts'
import { asyncApi } from '../../src/documents/asyncapi.ts'
import { openApi } from '../../src/documents/openapi.ts'
import type { Operation } from '../../src/documents/operation.ts'
import { operations } from '../../src/documents/operations.ts'
import { holdToOperations } from '../../src/http/route.ts'
import { brief, read } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { holdTo } from './described.ts'

const routes: RouteOptions[] = []
subscribe('fastify.initialization', message => {
  const { fastify } = message as { fastify: FastifyInstance }
  // Every GET has its HEAD.
  fastify.addHook('onRoute', route => void (route.method === 'HEAD' || routes.push(route)))
})
const { url, api, lines } = await serveHere(t, { BODY_LIMIT: `${1024 * 1024}` })
const { look, wrong } = holdTo(openApi())
const one = { user_message_content: 'x', stream: false, client_id: 'echo', task_id: 'one' }
const { status, text } = await read(api('POST', '/tasks', one))
if (status !== 200) throw new Error(text)

/** What the pages at /docs and /ui are made of: no part of the interface. */
const isPartOfPage = ({ url }: RouteOptions) => url.startsWith('/docs/') || url.startsWith('/ui/')
const nameOf = ({ method, path }: Operation) => `${method} ${path}`
const routeOf = new Map(
  routes
    .filter(route => !isPartOfPage(route))
    .map(route => [
      `${String(route.method)} ${route.url.replace(/(?<!:):(\w+)/g, '{$1}').replace('::', ':')}`,
      route,
    ]),
)

t.test('every route is in the table, and every entry of the table is a route', async t => {
  t.same(operations.map(nameOf).sort(), [...routeOf.keys()].sort())
  t.equal(routes.filter(isPartOfPage).length, 6)
})

t.test(
  'a route that is no operation, and an operation without a route, keep the server from starting',
  async t => {
    const app = fastify()
    const unlessMissing = holdToOperations(app)
    const handler = () => ({})
    t.throws(
      () => app.route({ method: 'GET', url: '/v1/extra', handler }),
      /\/v1\/extra is not in the table of operations/,
    )
    for (const { id } of operations.slice(1)) {
      app.route({ method: 'GET', url: `/${id}`, config: { operation: id }, handler })
    }
    t.throws(unlessMissing, { message: `operations without a route: ${operations[0]?.id}` })
  },
)

t.test('an entry asks for the access, the body and the envelope of its route', async t => {
  for (const operation of operations) {
    const route = routeOf.get(nameOf(operation))
    const { access, envelope } = route?.config ?? {}
    t.equal(operation.access, access, nameOf(operation))
    t.equal(operation.envelope, envelope, nameOf(operation))
    t.equal(operation.body?.schema, route?.schema?.body, `${nameOf(operation)}: the value that validates`)
  }
})

type Given = { query?: string; headers?: Record<string, string>; body?: string; token?: string | undefined }
/** Asks once; a stream is cut after its head. What comes back must be what the document says. */
const ask = async (operation: Operation, given: Given = {}) => {
  const { query = '', headers = {}, body, token = adminToken } = given
  const { method } = operation
  const ids: Record<string, string> = {
    task_id: 'one',
    env_id: 'gridworld',
    agent: 'echo',
    call: 'one:subscribe',
  }
  const where = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none')
  const abort = new AbortController()
  const response = await fetch(`${url}${where}${query}`, {
    method,
    signal: abort.signal,
    headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { body }),
  })
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const text = isStream ? '' : await response.text()
  if (isStream) abort.abort()
  look(
    { method, url: `${where}${query}`, body: undefined },
    { status: response.status, headers: response.headers, text },
  )
  return {
    status: response.status,
    text,
    problems: problemsIn(operation, response.status, text),
  }
}
type A2ADetail = { fieldViolations?: { field: string }[]; metadata?: Record<string, string> }
type A2ADetails = { details?: A2ADetail[]; data?: A2ADetail[] }
/** The problems of an invalid request. Forms of other protocols do not say in which part of the request it is. */
const problemsIn = ({ errors }: Operation, status: number, text: string): string[] => {
  if (status === 422) return brief(JSON.parse(text).detail)
  if (errors === undefined || status !== 400) return []
  const { error } = JSON.parse(text) as { error: { param: string; message: string } & A2ADetails }
  const ofA2A = [error.details ?? error.data ?? []]
    .flat()
    .flatMap(({ fieldViolations = [], metadata }) => [
      ...fieldViolations.map(({ field }) => field.toLowerCase()),
      ...(metadata?.parameter ? [metadata.parameter.toLowerCase()] : []),
    ])
  const ofOne = errors === 'mcp' ? [error.message.split(':')[0] ?? ''] : [error.param]
  const named = errors.startsWith('a2a') ? ofA2A : ofOne
  return named.flatMap(param => ['query', 'header'].map(where => `${where} ${param} `))
}
const invalid = ({ errors }: Operation): number => (errors === undefined ? 422 : 400)

t.test('who has no token is told so, in the shape of the operation', async t => {
  for (const operation of operations) {
    const { status } = await ask(operation, { token: '' })
    const ofOpen = operation.path === '/ws' ? 426 : operation.body === undefined ? 200 : 422
    t.equal(status, operation.access === 'open' ? ofOpen : 401, nameOf(operation))
  }
})

t.test('each role may do what the document says, and nothing else', async t => {
  for (const role of roles) {
    const { body } = await read(api('POST', '/auth/tokens', { role }))
    const { token } = body as unknown as { token: string }
    for (const operation of operations.filter(({ access }) => access !== 'open')) {
      // A body that is none: whoever may ask is told that, and nothing happens.
      const given = {
        token,
        ...(operation.method === 'GET' ? {} : { body: '{', headers: { 'content-type': 'application/json' } }),
      }
      const { status } = await ask(operation, given)
      t.equal(
        status === 403,
        !rolesOf[operation.access].includes(role),
        `${role} ${nameOf(operation)}: ${status}`,
      )
    }
  }
})

t.test('a body that is too large, of another type, or no JSON', async t => {
  const large = `"${'x'.repeat(1024 * 1024)}"`
  for (const operation of operations.filter(({ method }) => method !== 'GET')) {
    const json = { 'content-type': 'application/json' }
    t.equal((await ask(operation, { body: large, headers: json })).status, 413, nameOf(operation))
    t.equal((await ask(operation, { body: 'x', headers: { 'content-type': 'text/plain' } })).status, 415)
    const { status, problems } = await ask(operation, { body: '{', headers: json })
    t.equal(status, invalid(operation), nameOf(operation))
    if (operation.errors === undefined) t.same(problems, ['body 1 json_invalid'])
  }
})

t.test('every parameter of the document is read: a wrong value is a problem of its own', async t => {
  const wrongFor = (name: string, schema: { type?: string; anyOf?: unknown; enum?: unknown }) =>
    schema.type === 'string' && schema.enum === undefined ? `?${name}=a&${name}=b` : `?${name}=nonsense`
  const stream = { accept: 'text/event-stream' }
  for (const operation of operations) {
    for (const { in: where, name, schema } of operation.parameters ?? []) {
      const tries =
        where === 'query'
          ? [{ query: wrongFor(name, schema) }, { query: wrongFor(name, schema), headers: stream }]
          : where === 'header' && name !== 'X-Stainless-Retry-Count' // any value of it is taken
            ? [{ headers: { ...stream, [name]: 'x'.repeat(257) } }]
            : []
      const body = operation.body && {
        body: JSON.stringify(Object.values(operation.body.examples)[0]?.value),
        headers: { 'content-type': 'application/json' },
      }
      const answers = await Promise.all(
        tries.map(each =>
          ask(operation, {
            ...body,
            ...each,
            headers: { ...body?.headers, ...('headers' in each ? each.headers : {}) },
          }),
        ),
      )
      const said = answers.flatMap(({ problems }) => problems)
      if (tries.length > 0)
        t.match(said, new RegExp(`${where} ${name.toLowerCase()} `), `${nameOf(operation)} ${name}: ${said}`)
    }
    const { status, problems } = await ask(operation, { headers: { 'x-request-id': 'x'.repeat(257) } })
    t.equal(status, invalid(operation), nameOf(operation))
    t.match(problems.join(), 'header x-request-id ', nameOf(operation))
  }
})

t.test('no other parameter is read', async t => {
  const folder = path.resolve(import.meta.dirname, '../../src/http')
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n')
  const known = new Set(
    operations.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name.toLowerCase())),
  )
  const read = [
    ...source.matchAll(/\.(?:text|integer|oneOf|manyOf|listOf|boolean|cursor|time)\('([\w-]+)'/g),
    ...source.matchAll(/\bshortHeader\(request, '([\w-]+)'/g),
  ]
  t.ok(read.length > 18)
  for (const [, name = ''] of read) t.ok(name === 'x-request-id' || known.has(name), name)
})

t.test('the documents are served to anybody, as the code gives them', async t => {
  for (const [path, document] of [
    ['/openapi.json', openApi()],
    ['/asyncapi.json', asyncApi()],
  ] as const) {
    const answer = await fetch(url + path)
    t.match(answer.headers.get('content-type'), 'application/json')
    t.ok((await answer.text()) === JSON.stringify(document), path)
  }
})

t.test('all of this was as the document says, and the operator was told of no error', async t => {
  t.same(wrong, [])
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
