// Names, in a header of the answer, the query parameters that the route does not read, so that the caller notices a
// mistyped filter.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { operations } from '../documents/operations.ts'

/** The most names in the header. */
const maxNames = 20
/** The most characters of each name. */
const maxCharacters = 100

/** For each operation: the query parameters that it reads. */
const known = new Map(
  operations.map(({ id, access, parameters = [] }) => {
    const names = parameters.flatMap(({ in: where, name, schema }) => {
      if (where !== 'query') return []
      return 'type' in schema && schema.type === 'array' ? [name, `${name}[]`] : [name]
    })
    const ticket = access === 'follow' ? ['ticket'] : []
    return [id, new Set([...names, ...ticket])]
  }),
)

const nameIgnored = (query: object, read: ReadonlySet<string>): string =>
  Object.keys(query)
    .filter(name => !read.has(name))
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
