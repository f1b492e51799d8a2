// Names, in a header of the answer, the query parameters that the route does not read, so that the caller notices a
// mistyped filter.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { operations } from '../documents/operations.ts'
import { bareName } from './query.ts'

/** The most names in the header. */
const maxNames = 20
/** The most characters of each name. */
const maxCharacters = 100

/** For each operation: the query parameters that it reads, and which of them are lists. */
const known = new Map(
  operations.map(({ id, access, parameters = [] }) => {
    const read = parameters.filter(({ in: where }) => where === 'query')
    const lists = read.filter(({ schema }) => 'type' in schema && schema.type === 'array')
    const ticket = access === 'follow' ? ['ticket'] : []
    const names = new Set([...read.map(({ name }) => name), ...ticket])
    return [id, { names, lists: new Set(lists.map(({ name }) => name)) }]
  }),
)

type Known = { names: ReadonlySet<string>; lists: ReadonlySet<string> }
const nameIgnored = (query: object, { names, lists }: Known): string =>
  Object.keys(query)
    .filter(name => !names.has(name) && !lists.has(bareName(name)))
    .slice(0, maxNames)
    .map(name => encodeURIComponent(name.slice(0, maxCharacters).toWellFormed()))
    .join(', ')

/** Names the ignored parameters in `X-Ignored-Query`, percent-encoded. */
export const tellIgnoredQuery = ({ query, routeOptions }: FastifyRequest, reply: FastifyReply): void => {
  const { operation } = routeOptions.config
  const read = operation && known.get(operation)
  if (read === undefined) return
  const ignored = nameIgnored(query as object, read)
  if (ignored !== '') void reply.header('x-ignored-query', ignored)
}
