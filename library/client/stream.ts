// A stream of the server that takes itself up again after every break, without a gap and without a repeat.
import { ConnectionFailed } from './errors.ts'
import type { Link, Opened, Request } from './link.ts'
import { triesOf } from './patience.ts'
import { eventsOf, type SentEvent } from './server-sent-events.ts'

/** Milliseconds of silence after which a stream is broken: the server sends a comment every ten seconds. */
const silence = 30_000

/** Opens a stream; undefined: nothing follows. A page that answers 200 to everything is no stream. */
const opened = async (link: Link, request: Request): Promise<Opened | undefined> => {
  const answer = await link.open(request, silence)
  const type = answer.headers.get('content-type') ?? 'no type'
  if (answer.status !== 204 && /^text\/event-stream\b/i.test(type)) return answer
  answer.close()
  if (answer.status === 204) return undefined
  throw new ConnectionFailed(`${link.root} answers with ${type} in place of a stream`, {
    hint: 'Check the address, and what stands between this program and the server.',
  })
}

/** Where a stream is: the id of its last event. It moves while the stream is read. */
export type Place = { cursor: string | number | undefined }

/**
 * The events after the place. `counted`: the ids have no holes. Ends when the server says that nothing follows (204); otherwise
 * it is read again and again, and its reader leaves when it has what it wants.
 */
export async function* streamOf(
  link: Link,
  request: Request,
  place: Place,
  counted: boolean,
): AsyncGenerator<SentEvent & { id: string }, void> {
  const tries = triesOf(link, request.signal, true)
  for (;;) {
    try {
      const { cursor } = place
      const resumed = cursor === undefined ? {} : { 'last-event-id': String(cursor) }
      const headers = { ...request.headers, accept: 'text/event-stream', ...resumed }
      const answer = await opened(link, { ...request, headers })
      if (answer === undefined) return
      let comments = 0
      const onComment = () => {
        if (comments++ > 0) tries.lives() // the first one only says that the stream is open
      }
      for await (const event of eventsOf(answer.pieces, onComment)) {
        request.signal?.throwIfAborted()
        const { id } = event
        if (id === undefined) continue
        const [last, next] = [Number(place.cursor ?? -1), Number(id)]
        if (next <= last) continue // it came twice
        if (counted && next > last + 1) throw new ConnectionFailed(`event ${next} came after event ${last}`)
        place.cursor = id
        tries.worked()
        yield { ...event, id }
      }
      throw new ConnectionFailed('the stream ended before its last event')
    } catch (error) {
      await tries.again(error)
    }
  }
}
