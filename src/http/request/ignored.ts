// Names, in headers of the answer, what the server did not understand in a request: query parameters that the route does not
// read, and fields of the body that it does not know. So the caller notices a mistyped name. With `Prefer: handling=strict`
// such a request is refused. A name that is nearly a known one is named with it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { namesAt, unknownKeys } from '../../contract/json/schema-walk.ts'
import { Invalid, type Problem } from '../../contract/refusals.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import { type OperationId, operations } from '../../documents/operations.ts'
import { unusedChoice } from '../../doors/openai/agent.ts'
import { ignoredInCreate } from '../../tasks/request.ts'
import { didYouMean } from './did-you-mean.ts'
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

/** Fields that the schema of an operation knows, and that have no effect with these values. */
const unusedIn: Partial<Record<OperationId, (body: object) => string[]>> = {
  createResponse: unusedChoice,
  createChatCompletion: unusedChoice,
}

/** The paths of the fields that the operation ignores, such as `agent_config.colour`. */
const ignoredInBody = (body: unknown, operation: OperationId): string[] => {
  if (typeof body !== 'object' || body === null) return []
  if (operation === 'createTask') return ignoredInCreate(body as CreateTaskBody)
  const { schema } = known.get(operation) ?? {}
  const unused = unusedIn[operation]?.(body) ?? []
  return schema === undefined ? [] : [...unused, ...unknownKeys(schema, body, maxNames)]
}

const encoded = (name: string): string => encodeURIComponent(name.slice(0, maxCharacters).toWellFormed())

const headerOf = (names: string[], write = encoded): string => {
  const written = names.slice(0, maxNames).map(write)
  while (written.join(', ').length > longestHeader) written.pop()
  return written.join(', ')
}

/** The parameter that the caller probably meant; undefined: no name is near. */
const meantInQuery = (name: string, operation: OperationId): string | undefined =>
  didYouMean(name, [...(known.get(operation)?.names ?? [])])

/** The path of the field that the caller probably meant; undefined: no name is near. */
const meantInBody = (body: unknown, path: string, operation: OperationId): string | undefined => {
  const place = placeOf(body, path)
  const within = place.slice(0, -1)
  const { schema } = known.get(operation) ?? {}
  const meant = schema && didYouMean(String(place.at(-1)), namesAt(schema, body, within))
  return meant && [...within, meant].join('.')
}

/** Adds to `X-Did-You-Mean`, such as `limits=limit`: ignored names, and what the caller probably meant. */
const suggest = (
  reply: FastifyReply,
  names: string[],
  meantBy: (name: string) => string | undefined,
): void => {
  const pairs = names.flatMap(name => {
    const meant = meantBy(name)
    return meant === undefined ? [] : [`${encoded(name)}=${encoded(meant)}`]
  })
  const before = reply.getHeader('x-did-you-mean')
  const all = [...(before === undefined ? [] : [String(before)]), ...pairs]
  if (pairs.length > 0)
    void reply.header(
      'x-did-you-mean',
      headerOf(all, pair => pair),
    )
}

/** Names the ignored parameters in `X-Ignored-Query`, percent-encoded. */
export const tellIgnoredQuery = ({ query, routeOptions }: FastifyRequest, reply: FastifyReply): void => {
  const { operation } = routeOptions.config
  if (operation === undefined) return
  const ignored = ignoredInQuery(query as object, operation)
  if (ignored.length === 0) return
  void reply.header('x-ignored-query', headerOf(ignored))
  suggest(reply, ignored.slice(0, maxNames), name => meantInQuery(name, operation))
}

const strict = /(?:^|[,;\s])handling\s*=\s*"?strict"?(?:$|[,;\s])/i

/** The keys and indexes on the path of a field. A key may have dots in it. */
const placeOf = (value: unknown, path: string): (string | number)[] => {
  const dot = path.indexOf('.')
  if (dot < 0 || typeof value !== 'object' || value === null || Object.hasOwn(value, path)) return [path]
  const key = Array.isArray(value) ? Number(path.slice(0, dot)) : path.slice(0, dot)
  return [key, ...placeOf((value as Record<string | number, unknown>)[key], path.slice(dot + 1))]
}

const notKnown = (loc: (string | number)[], meant: string | undefined): Problem => ({
  loc,
  type: 'extra_forbidden',
  msg: `Extra inputs are not permitted${meant === undefined ? '' : `: did you mean ${meant}?`}`,
})

/**
 * Names the ignored fields of the body in `X-Ignored-Fields`, percent-encoded. Throws Invalid when the caller prefers strict
 * handling and the server ignores anything.
 */
const tellIgnored = (request: FastifyRequest, reply: FastifyReply): void => {
  const { operation } = request.routeOptions.config
  if (operation === undefined) return
  const { body } = request
  const fields = ignoredInBody(body, operation)
  if (fields.length > 0) {
    void reply.header('x-ignored-fields', headerOf(fields))
    suggest(reply, fields, path => meantInBody(body, path, operation))
  }
  if (!strict.test(String(request.headers.prefer ?? ''))) return
  const ignored = ignoredInQuery(request.query as object, operation)
  const problems = [
    ...ignored.map(name => notKnown(['query', name], meantInQuery(name, operation))),
    ...fields.map(path => notKnown(['body', ...placeOf(body, path)], meantInBody(body, path, operation))),
  ]
  if (problems.length > 0) throw new Invalid(problems)
  void reply.header('preference-applied', 'handling=strict')
}

/** Names the fields that a method ignores, when its parameters are only a part of the body. */
export const ignoredHeader = (
  request: FastifyRequest,
  reply: FastifyReply,
  schema: TSchema,
  params: Record<string, unknown>,
): void => {
  const fields = unknownKeys(schema, params, maxNames)
  if (fields.length === 0) return
  void reply.header('x-ignored-fields', headerOf(fields))
  if (!strict.test(String(request.headers.prefer ?? ''))) return
  throw new Invalid(fields.map(path => notKnown(['body', ...placeOf(params, path)], undefined)))
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
