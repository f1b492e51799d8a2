// The log over HTTP, for auditors: every stored event with the exact texts that its hashes were made of, and the
// streams that there are. Whoever stands for a user reads what that user owns.
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { jsonLine } from '../bus/told.ts'
import type { StoredEvent } from '../contract/audit.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import type { Principal } from '../contract/token-events.ts'
import { type App, faultOf, type Parts } from './parts.ts'
import { type QueryReader, readQuery } from './query.ts'

const json = 'application/json; charset=utf-8'
const ndjson = 'application/x-ndjson; charset=utf-8'
const wantsLines = ({ headers }: FastifyRequest): boolean =>
  /\bapplication\/x-ndjson\b/i.test(headers.accept ?? '')

/** A page ends early when it holds this much text: contents may be long, and the next page goes on from there. */
const pageChars = 16 * 1024 * 1024

/** The payload is JSON as it stands; it is not written out anew. */
const lineOf = ({ position, about, header, payload, salt, leaf }: StoredEvent): string => {
  const { stream, revision, type, schema_version, time, principal, correlation_id, causation_id } = about
  const event = JSON.stringify({
    position,
    stream,
    revision,
    type,
    schema_version,
    time,
    principal,
    correlation_id,
    causation_id,
  })
  const texts = JSON.stringify({ leaf_hash: leaf, header, payload, salt })
  return jsonLine(`${event.slice(0, -1)},"data":${payload},${texts.slice(1)}`)
}

/** Without a user a `user` reads what belongs to anyone, but not what is nobody's, as the tokens of administrators. */
const mayRead = ({ role, userId }: Principal, owner: string): boolean =>
  userId === undefined ? role !== 'user' || owner !== '' : owner === userId

/** At most `limit` of what the pages hold, and whether there is more. What is damaged beyond them is no matter yet. */
const take = async <Each>(
  pages: AsyncIterable<Each[]>,
  limit: number,
  textOf: (each: Each) => string | undefined,
): Promise<{ texts: string[]; more: boolean }> => {
  const texts: string[] = []
  let chars = 0
  const full = () => texts.length === limit || chars >= pageChars
  try {
    for await (const page of pages) {
      for (const each of page) {
        const text = textOf(each)
        if (text === undefined) continue
        if (full()) return { texts, more: true }
        texts.push(text)
        chars += text.length
      }
    }
  } catch (error) {
    if (!full()) throw error
    return { texts, more: true }
  }
  return { texts, more: false }
}

export const auditRoutes = (app: App, parts: Pick<Parts, 'audit' | 'queries' | 'fault'>): void => {
  const { audit, queries } = parts
  const afterOf = (q: QueryReader): number => q.integer('after', { min: 0, fallback: 0 })
  const checkEnd = (after: number) => {
    if (after <= queries.headPosition()) return
    const msg = 'The cursor is beyond the end of the log'
    throw new Invalid([{ loc: ['query', 'after'], msg, type: 'value_error' }])
  }

  app.route({
    method: 'GET',
    url: '/audit/events',
    config: { access: 'read' },
    async handler(request, reply) {
      const { principal, query } = request
      const q = readQuery(query)
      const after = afterOf(q)
      const stream = q.text('stream')
      const given = q.integer('limit', { min: 1, max: 1000, fallback: undefined })
      q.done()
      checkEnd(after)
      if (stream !== undefined) {
        const owner = audit.ownerOf(stream)
        if (owner === undefined || !mayRead(principal, owner))
          throw new Refusal('TaskNotFound', undefined, 'no such stream')
      }
      const textOf = (event: StoredEvent) =>
        mayRead(principal, event.about.owner) ? lineOf(event) : undefined
      const pages = audit.events(after, { stream, owner: principal.userId })

      if (!wantsLines(request)) {
        const { texts, more } = await take(pages, given ?? 100, textOf)
        return reply.type(json).send(`{"events":[${texts.join(',')}],"has_more":${more}}`)
      }
      async function* lines() {
        let left = given ?? Number.POSITIVE_INFINITY
        try {
          for await (const page of pages) {
            const texts = page.flatMap(event => textOf(event) ?? []).slice(0, left)
            if (texts.length > 0) yield `${texts.join('\n')}\n`
            left -= texts.length
            if (left === 0) return
          }
        } catch (error) {
          // The head is out: the connection breaks, and only the operator can be told why.
          if (reply.raw.headersSent) faultOf(parts, request)(error)
          throw error
        }
      }
      return reply.type(ndjson).send(Readable.from(lines()))
    },
  })

  app.route({
    method: 'GET',
    url: '/audit/streams',
    config: { access: 'read' },
    async handler({ principal, query }, reply) {
      const q = readQuery(query)
      const after = afterOf(q)
      const limit = q.integer('limit', { min: 1, max: 1000, fallback: 100 })
      q.done()
      checkEnd(after)
      const { texts, more } = await take(audit.streams(after, principal.userId), limit, summary =>
        mayRead(principal, summary.owner) ? JSON.stringify(summary) : undefined,
      )
      return reply.type(json).send(`{"streams":[${texts.join(',')}],"has_more":${more}}`)
    },
  })
}
