// The shape of an event as the log holds it, and the log as everybody else sees it.

/** The stored header, as JSON in this order of keys (`digest` is last, added where the event is written). */
export type Header = {
  stream: string
  revision: number
  type: string
  schema_version: number
  /** ISO 8601 with milliseconds; never earlier than that of the event before it in the log. */
  time: string
  /** Id of the token that caused the event, or `system`. */
  principal: string
  /** The user whose event it is: tenancy is decided from the header alone. */
  owner: string
  session_id: string
  /** The root task, or the session. */
  correlation_id: string
  /** `<stream>@<revision>` of the cause, else the request id. */
  causation_id: string
  /** Our version and the machine's. */
  build: string
  /** Tasks only: the number of the next frame before this event, and how many frames it gives. */
  seq?: number
  frames?: number
}

/**
 * An event read back: `position` from 1 in the whole log without holes, `revision` from 0 in its stream. The decoder of its
 * kind of stream (`decoders/`) says what its data are: then it is one of the events of that kind, with its type beside them.
 */
export type Recorded<Event extends { data: unknown } = { data: unknown }> = {
  position: number
  header: Header
} & Event

export type NewEvent = { type: string; schema_version: number; data: object; seq?: number; frames?: number }

/** What one writer wants to add to one stream; `expectedRevision` is -1 for a new stream. */
export type StreamAppend = {
  stream: string
  expectedRevision: number
  /** The stream's id was made just now, so nobody else can have it: not looked up again. */
  justMade?: boolean
  principal: string
  owner: string
  session_id: string
  correlation_id: string
  causation_id: string
  events: NewEvent[]
}

export interface Log {
  /** All or nothing over all the streams; durable when it resolves. Throws RevisionConflict or StorageFailure. */
  append(appends: StreamAppend[]): Promise<Recorded[]>
  /** The events of one stream after `revision` (-1: from the start), in pages. Throws DamagedEvent. */
  readStream(stream: string, after?: number): AsyncIterable<Recorded[]>
  /** The same without waiting: for what must be done in one go with the commit that it follows. */
  streamPages(stream: string, after?: number): Iterable<Recorded[]>
  /** All events after `position`, in pages, to the head at the time of reading. Throws DamagedEvent. */
  readAll(after?: number): AsyncIterable<Recorded[]>
  /** The event with which a stream begins, read alone. Throws DamagedEvent. */
  firstOf(stream: string): Promise<Recorded | undefined>
  /** The newest stored event of a stream. Throws DamagedEvent. */
  lastOf(stream: string): Promise<Recorded | undefined>
  /** The last revision of a stream, perhaps not durable yet; -1 when there is none. */
  revisionOf(stream: string): number
  /** The last position; 0 for an empty log. */
  head(): number
  /** The leaf stored at a position, undefined when the log has none there. */
  leafAt(position: number): string | undefined
}

/** Somebody else wrote to the stream first. */
export class RevisionConflict extends Error {
  constructor(
    readonly stream: string,
    readonly expected: number,
    readonly actual: number,
  ) {
    super(`${stream} is at revision ${actual}, not ${expected}`)
  }
}

/** The log could not be written: nothing of the append is acknowledged. */
export class StorageFailure extends Error {}

/** A stored event cannot be read, or does not fit its hash or its frame count. */
export class DamagedEvent extends Error {
  constructor(
    readonly position: number,
    why: string,
  ) {
    super(`the event at position ${position} ${why}`)
  }
}
