// Names, in headers of the answer, what the server did not understand in a request: query parameters that the route does not
// read, and fields of the body that it does not know. So the caller notices a mistyped name. With `Prefer: handling=strict`
// such a request is refused.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Invalid, type Problem } from '../contract/refusals.ts'
import { unknownKeys } from '../contract/schema-walk.ts'
import type { CreateTaskBody } from '../contract/wire.ts'
import { type OperationId, operations } from '../documents/operations.ts'
import { ignoredInCreate } from '../tasks/request.ts'
import { bareName } from './query.ts'
import type { App } from './request.ts'

/** The most names in a header. */
const maxNames = 20
/** The most characters of each name. */
const maxCharacters = 100
/** The greatest length of a header: clients and proxies refuse answers whose headers are longer than they expect. */
const longestHeader = 4096

/** For each operation: the query parameters that it reads, which of them are lists, and the schema of its body. */
const known = new Map(
  operations.map(({ id, access, body, parameters = [] }) => {
    const read = parameters.filter(({ in: where }) => where === 'query')
    const lists = read.filter(({ schema }) => 'type' in schema && schema.type === 'array')
    const ticket = access === 'follow' ? ['ticket'] : []
    const names = new Set([...read.map(({ name }) => name), ...ticket])
    return [id, { names, lists: new Set(lists.map(({ name }) => name)), schema: body?.schema }]
  }),
)

const ignoredInQuery = (query: object, operation: OperationId): string[] => {
  const { names, lists } = known.get(operation) ?? {}
  return Object.keys(query).filter(name => !names?.has(name) && !lists?.has(bareName(name)))
}

/** The paths of the fields that the operation ignores, such as `agent_config.colour`. */
const ignoredInBody = (body: unknown, operation: OperationId): string[] => {
  if (typeof body !== 'object' || body === null) return []
  if (operation === 'createTask') return ignoredInCreate(body as CreateTaskBody)
  const { schema } = known.get(operation) ?? {}
  return schema === undefined ? [] : unknownKeys(schema, body, maxNames)
}

const headerOf = (names: string[]): string => {
  const written = names
    .slice(0, maxNames)
    .map(name => encodeURIComponent(name.slice(0, maxCharacters).toWellFormed()))
  while (written.join(', ').length > longestHeader) written.pop()
  return written.join(', ')
}

/** Names the ignored parameters in `X-Ignored-Query`, percent-encoded. */
export const tellIgnoredQuery = ({ query, routeOptions }: FastifyRequest, reply: FastifyReply): void => {
  const { operation } = routeOptions.config
  if (operation === undefined) return
  const ignored = ignoredInQuery(query as object, operation)
  if (ignored.length > 0) void reply.header('x-ignored-query', headerOf(ignored))
}

const strict = /(?:^|[,;\s])handling\s*=\s*"?strict"?(?:$|[,;\s])/i

/** The keys and indexes on the path of a field. A key may have dots in it. */
const placeOf = (value: unknown, path: string): (string | number)[] => {
  const dot = path.indexOf('.')
  if (dot < 0 || typeof value !== 'object' || value === null || Object.hasOwn(value, path)) return [path]
  const key = Array.isArray(value) ? Number(path.slice(0, dot)) : path.slice(0, dot)
  return [key, ...placeOf((value as Record<string | number, unknown>)[key], path.slice(dot + 1))]
}

const notKnown = (...loc: (string | number)[]): Problem => ({
  loc,
  type: 'extra_forbidden',
  msg: 'Extra inputs are not permitted',
})

/**
 * Names the ignored fields of the body in `X-Ignored-Fields`, percent-encoded. Throws Invalid when the caller prefers strict
 * handling and the server ignores anything.
 */
const tellIgnored = (request: FastifyRequest, reply: FastifyReply): void => {
  const { operation } = request.routeOptions.config
  if (operation === undefined) return
  const fields = ignoredInBody(request.body, operation)
  if (fields.length > 0) void reply.header('x-ignored-fields', headerOf(fields))
  if (!strict.test(String(request.headers.prefer ?? ''))) return
  const ignored = ignoredInQuery(request.query as object, operation)
  const problems = [
    ...ignored.map(name => notKnown('query', name)),
    ...fields.map(path => notKnown('body', ...placeOf(request.body, path))),
  ]
  if (problems.length > 0) throw new Invalid(problems)
  void reply.header('preference-applied', 'handling=strict')
}

export const tellIgnoredFields = (app: App): void => {
  app.addHook('preHandler', (request, reply, done) => {
    try {
      tellIgnored(request, reply)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}
