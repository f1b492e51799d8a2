// The log over HTTP, for auditors: every stored event with the exact texts from which its hashes were made, and the
// list of streams. A token that belongs to a user can read only what that user owns.
import type { FastifyRequest } from 'fastify'
import type { Shows } from '../../access/reads.ts'
import { jsonLine } from '../../bus/published.ts'
import type { LongText, StoredEvent, StreamSummary } from '../../contract/audit.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import { isTaskStream, taskIdOf } from '../../contract/task-stream.ts'
import { joined, type Sized, sizedText } from '../../platform/pieces.ts'
import { listByPosition } from '../answer/listing.ts'
import { linesOf, pageOf } from '../answer/page.ts'
import { asLines, sendText } from '../answer/send-text.ts'
import type { AuditDoor, Serving } from '../doors.ts'
import { readQuery } from '../request/query.ts'
import { type App, answersOf, faultOf, readBy } from '../request/request.ts'
import { route } from '../route.ts'

const wantsLines = ({ headers }: FastifyRequest): boolean =>
  /\bapplication\/x-ndjson\b/i.test(headers.accept ?? '')

/** Yields the pieces of a long payload. With `isQuoted` they are escaped, for the inside of a JSON string. */
async function* piecesOf({ pieces }: LongText, isQuoted: boolean): AsyncGenerator<string> {
  for await (const piece of pieces()) yield jsonLine(isQuoted ? JSON.stringify(piece).slice(1, -1) : piece)
}

/** An event as a line of JSON. The payload is JSON already, so it is inserted unchanged. */
const textOf = (stored: StoredEvent): Sized => {
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

const largest = Number.MAX_SAFE_INTEGER

/** An entry as text, and the position at which it stands in its list. */
type Line = Sized & { position: number }

/** The lines of entries that come in pages; `lineOf` returns undefined for an entry that is left out. */
async function* linesIn<Each>(
  pages: AsyncIterable<Each[]>,
  lineOf: (each: Each) => Line | undefined,
): AsyncGenerator<Line> {
  for await (const page of pages) {
    for (const each of page) {
      const line = lineOf(each)
      if (line !== undefined) yield line
    }
  }
}

/** A list whose entries come piece by piece. */
const listOfLines = (operation: 'auditEvents' | 'auditStreams') => {
  const { asked, begun, ended } = listByPosition(operation)
  return { asked, begun, ended: (hasMore: boolean, last: Line | undefined) => ended(hasMore, last?.position) }
}
const eventList = listOfLines('auditEvents')
const streamList = listOfLines('auditStreams')

export const auditRoutes = (
  app: App,
  { audit, queries }: AuditDoor,
  serving: Pick<Serving, 'fault' | 'longAnswers' | 'reads'>,
): void => {
  /** The position of these at which a page begins, since a cursor only goes on within what `after` has chosen. */
  const beginOf = (places: { after: number; cursor?: number | undefined }): number => {
    for (const [name, position = 0] of Object.entries(places)) {
      if (position <= queries.headPosition()) continue
      const msg = 'The cursor is beyond the end of the log'
      throw new Invalid([{ loc: ['query', name], msg, type: 'value_error' }])
    }
    return Math.max(places.after, places.cursor ?? 0)
  }

  route(app, 'auditEvents', {
    async handler(request, reply) {
      const { principal, query } = request
      const q = readQuery(query)
      const after = q.integer('after', { min: 0, fallback: 0 })
      const stream = q.text('stream')
      const { limit, after: cursor } = eventList.asked(q)
      // As lines, the answer is the whole log unless the request limits it.
      const mostLines = q.text('limit') === undefined ? undefined : limit
      q.done()
      const begin = beginOf({ after, cursor })
      if (stream !== undefined) {
        const owner = await audit.ownerOf(stream)
        if (owner === undefined || !mayRead(principal, owner))
          throw new Refusal('TaskNotFound', undefined, 'there is no stream with this name')
      }
      const shows = showsStreams(readBy(serving, request))
      const own = (event: StoredEvent) => {
        if (!mayRead(principal, event.about.owner)) return undefined
        shows(event.about.stream)
        return { ...textOf(event), position: event.position }
      }
      const wanted = { stream, owner: principal.userId }
      const lines = linesIn(audit.events(begin, wanted), own)

      const inLines = wantsLines(request)
      const text = answersOf(serving, request, reply).exporting(() =>
        inLines ? linesOf(lines, { limit: mostLines }) : pageOf(eventList, lines, limit),
      )
      return sendText(reply, text, faultOf(serving, request), inLines ? asLines : {})
    },
  })

  route(app, 'auditStreams', {
    async handler(request, reply) {
      const { principal, query } = request
      const q = readQuery(query)
      const after = q.integer('after', { min: 0, fallback: 0 })
      const before = q.integer('before', { min: 1, fallback: largest })
      const { limit, after: cursor } = streamList.asked(q)
      const search = q.text('search') || undefined
      const isNewestFirst = q.oneOf('order', ['asc', 'desc'], 'asc') === 'desc'
      q.done()
      const wanted = { owner: principal.userId, search, isNewestFirst }
      const streams = isNewestFirst
        ? audit.streams(beginOf({ after }), { ...wanted, before: Math.min(before, cursor ?? largest) })
        : audit.streams(beginOf({ after, cursor }), { ...wanted, before })
      const shows = showsStreams(readBy(serving, request))
      const own = (summary: StreamSummary) => {
        if (!mayRead(principal, summary.owner)) return undefined
        shows(summary.stream)
        return { ...sizedText(JSON.stringify(summary)), position: summary.first_position }
      }
      const text = answersOf(serving, request, reply).exporting(() =>
        pageOf(streamList, linesIn(streams, own), limit),
      )
      return sendText(reply, text, faultOf(serving, request))
    },
  })
}
