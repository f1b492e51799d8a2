// The stream of JetStream that keeps the events. The relay creates the stream when it is missing, and never changes its
// settings. The newest message of the stream shows up to which event the stream has the events.
import type { Log } from '../../contract/stored.ts'
import { bodyOf, publishedOf } from '../published.ts'
import type { NatsMessage } from './client.ts'
import { allSubjects, idHeader, sourceHeader } from './nats-subject.ts'
import type { NatsStreams } from './streams.ts'

export const streamName = 'REPRISE_EVENTS'

/** Thrown when the stream cannot take the events of this log, and the operator must solve the problem. */
export class WrongStream extends Error {
  constructor(why: string) {
    super(`the stream ${streamName} ${why}`)
  }
}

export type OpenStream = {
  /** The position of the newest event in the stream; 0: there is none. */
  from: number
  lastSequence: number
  maxMessage: number
  forgets: boolean
}

/** Whether a subject with wildcards covers all subjects of our events. */
export const takesAll = (pattern: string): boolean => {
  const parts = pattern.split('.')
  const ours = allSubjects.split('.')
  const rest = parts.indexOf('>')
  return (
    rest >= 0 &&
    rest < ours.length &&
    parts.slice(0, rest).every((part, n) => part === '*' || part === ours[n])
  )
}

/** The position of the event in a message. Throws WrongStream when this log has another event at that position. */
const positionOf = async (message: NatsMessage, log: Pick<Log, 'head' | 'readAll'>, logId: string) => {
  const position = Number(message.header(idHeader))
  const source = message.header(sourceHeader)
  if (source === undefined || !Number.isSafeInteger(position) || position < 1)
    throw new WrongStream('ends with a message that is not ours')
  if (source !== logId) throw new WrongStream('ends with an event of another log')
  if (position > log.head()) throw new WrongStream('is ahead of this log, which may have been restored')
  for await (const page of log.readAll(position - 1)) {
    if (page[0]?.erased_by !== undefined) return position // nothing is left to compare
    const [event] = publishedOf(page.slice(0, 1))
    if (event !== undefined && bodyOf(event) === message.body()) return position
    break
  }
  throw new WrongStream('ends with an event that is different in this log')
}

/** Finds the newest message of a stream that is not empty, even if many newer messages were deleted. */
const newestOf = async (streams: NatsStreams, lastSequence: number): Promise<NatsMessage | undefined> => {
  let newest: (NatsMessage & { sequence: number }) | undefined
  for (let [low, high] = [1, lastSequence]; low <= high; ) {
    const middle = (low + high) >> 1
    const message = await streams.message(streamName, middle, 'or later')
    if (message === undefined) high = middle - 1
    else {
      newest = message
      low = message.sequence + 1
    }
  }
  return newest
}

/**
 * Opens or creates the stream. `known` returns the last position that NATS is known to have; it is called when the
 * stream has dropped its newest message. Throws WrongStream.
 */
export const openStream = async (
  streams: NatsStreams,
  log: Pick<Log, 'head' | 'readAll'> & { id: string },
  known: () => number,
): Promise<OpenStream> => {
  const state = (await streams.state(streamName)) ?? (await streams.create(streamName, allSubjects))
  if (!state.subjects.some(takesAll)) throw new WrongStream(`does not take ${allSubjects}`)
  const { lastSequence, maxMessage, forgets } = state
  const at = (message: NatsMessage) => positionOf(message, log, log.id)
  const lastPosition = async (): Promise<number> => {
    if (lastSequence === 0) return 0
    const last = await streams.message(streamName, lastSequence)
    if (last !== undefined) return at(last)
    if (forgets) return known()
    // Somebody has deleted the newest messages or all messages. The relay sends the deleted messages again.
    const newest = state.messages === 0 ? undefined : await newestOf(streams, lastSequence)
    return newest === undefined ? 0 : at(newest)
  }
  return { from: await lastPosition(), lastSequence, maxMessage, forgets }
}
