// Query parameters that no route reads: a header of the answer names them, so a mistyped filter is noticed.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { operations } from '../documents/operations.ts'

/** The most names that the header lists, and the most characters of each. */
const mostNames = 20
const mostCharacters = 100

/** By operation: the query parameters that it reads. */
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
    .slice(0, mostNames)
    .map(name => encodeURIComponent(name.slice(0, mostCharacters).toWellFormed()))
    .join(', ')

/** Names the ignored parameters in `X-Ignored-Query`, percent-encoded. */
export const tellIgnoredQuery = ({ query, routeOptions }: FastifyRequest, reply: FastifyReply): void => {
  const { operation } = routeOptions.config
  const read = operation && known.get(operation)
  if (read === undefined) return
  const ignored = nameIgnored(query as object, read)
  if (ignored !== '') void reply.header('x-ignored-query', ignored)
}
