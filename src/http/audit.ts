// The log over HTTP, for auditors: every stored event with the exact texts from which its hashes were made, and the
// list of streams. A token that belongs to a user can read only what that user owns.
import type { FastifyRequest } from 'fastify'
import type { Shows } from '../access/reads.ts'
import { jsonLine } from '../bus/published.ts'
import type { LongText, StoredEvent, StreamSummary } from '../contract/audit.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import { isTaskStream, taskIdOf } from '../contract/task-stream.ts'
import type { Principal } from '../contract/token-events.ts'
import { joined, type Sized, sizedText } from '../platform/pieces.ts'
import type { AuditDoor, Serving } from './doors.ts'
import { linesOf, pageOf } from './page.ts'
import { type QueryReader, readQuery } from './query.ts'
import { type App, answersOf, faultOf, readBy } from './request.ts'
import { route } from './route.ts'
import { asLines, sendText } from './send-text.ts'

const wantsLines = ({ headers }: FastifyRequest): boolean =>
  /\bapplication\/x-ndjson\b/i.test(headers.accept ?? '')

/** Yields the pieces of a long payload. With `isQuoted` they are escaped, for the inside of a JSON string. */
async function* piecesOf({ pieces }: LongText, isQuoted: boolean): AsyncGenerator<string> {
  for (const piece of pieces()) yield jsonLine(isQuoted ? JSON.stringify(piece).slice(1, -1) : piece)
}

/** An event as a line of JSON. The payload is JSON already, so it is inserted unchanged. */
const lineOf = (stored: StoredEvent): Sized => {
  const { position, about, header, payload, salt, leaf } = stored
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
  if (payload === null) {
    const { erasedBy: erased_by } = stored
    const texts = { data: null, erased: true, erased_by, leaf_hash: leaf, header, payload, salt }
    return sizedText(jsonLine(`${event.slice(0, -1)},${JSON.stringify(texts).slice(1)}`))
  }
  const begun = `${event.slice(0, -1)},"data":`
  if (typeof payload === 'string') {
    const texts = JSON.stringify({ leaf_hash: leaf, header, payload, salt })
    return sizedText(jsonLine(`${begun}${payload},${texts.slice(1)}`))
  }
  const hashed = JSON.stringify({ leaf_hash: leaf, header }).slice(1, -1)
  const before = jsonLine(`,${hashed},"payload":"`)
  const [data, quoted] = [piecesOf(payload, false), piecesOf(payload, true)]
  const text = joined(jsonLine(begun), data, before, quoted, `","salt":${JSON.stringify(salt)}}`)
  return { text, bytes: 2 * payload.bytes }
}

/** Makes a function that gets the name of each stream that is shown, and calls `shows` for the streams of tasks. */
export const showsStreams = (shows: Shows): ((stream: string) => void) => {
  let last = ''
  return stream => {
    if (stream === last) return
    last = stream
    if (isTaskStream(stream)) shows(taskIdOf(stream))
  }
}

/**
 * Whether a principal may read what this owner owns. A token with the role `user` that acts for all users may read what
 * belongs to any user, but nothing without an owner, such as the streams of administrators' tokens.
 */
const mayRead = ({ role, userId }: Principal, owner: string): boolean =>
  userId === undefined ? role !== 'user' || owner !== '' : owner === userId

/** The lines of entries that come in pages; `lineOf` returns undefined for an entry that is left out. */
async function* linesIn<Each>(
  pages: AsyncIterable<Each[]>,
  lineOf: (each: Each) => Sized | undefined,
): AsyncGenerator<Sized> {
  for await (const page of pages) {
    for (const each of page) {
      const line = lineOf(each)
      if (line !== undefined) yield line
    }
  }
}

export const auditRoutes = (
  app: App,
  { audit, queries }: AuditDoor,
  serving: Pick<Serving, 'fault' | 'longAnswers' | 'reads'>,
): void => {
  const afterOf = (q: QueryReader): number => q.integer('after', { min: 0, fallback: 0 })
  const checkEnd = (after: number) => {
    if (after <= queries.headPosition()) return
    const msg = 'The cursor is beyond the end of the log'
    throw new Invalid([{ loc: ['query', 'after'], msg, type: 'value_error' }])
  }

  route(app, 'auditEvents', {
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
          throw new Refusal('TaskNotFound', undefined, 'there is no stream with this name')
      }
      const shows = showsStreams(readBy(serving, request))
      const own = (event: StoredEvent) => {
        if (!mayRead(principal, event.about.owner)) return undefined
        shows(event.about.stream)
        return lineOf(event)
      }
      const lines = linesIn(audit.events(after, { stream, owner: principal.userId }), own)

      const inLines = wantsLines(request)
      const text = answersOf(serving, request, reply).exporting(() =>
        inLines ? linesOf(lines, { limit: given }) : pageOf('{"events":[', lines, given ?? 100),
      )
      return sendText(reply, text, faultOf(serving, request), inLines ? asLines : {})
    },
  })

  route(app, 'auditStreams', {
    async handler(request, reply) {
      const { principal, query } = request
      const q = readQuery(query)
      const after = afterOf(q)
      const limit = q.integer('limit', { min: 1, max: 1000, fallback: 100 })
      const search = q.text('search') || undefined
      const before = q.integer('before', { min: 1, fallback: undefined })
      const isNewestFirst = q.oneOf('order', ['asc', 'desc'], 'asc') === 'desc'
      q.done()
      checkEnd(after)
      const streams = audit.streams(after, { owner: principal.userId, search, before, isNewestFirst })
      const shows = showsStreams(readBy(serving, request))
      const own = (summary: StreamSummary) => {
        if (!mayRead(principal, summary.owner)) return undefined
        shows(summary.stream)
        return sizedText(JSON.stringify(summary))
      }
      const text = answersOf(serving, request, reply).exporting(() =>
        pageOf('{"streams":[', linesIn(streams, own), limit),
      )
      return sendText(reply, text, faultOf(serving, request))
    },
  })
}
