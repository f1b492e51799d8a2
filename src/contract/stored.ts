// The shape of a stored event, and the interface of the log.

/** The stored header, as JSON in this order of keys (`digest` is last, added where the event is written). */
export type Header = {
  stream: string
  revision: number
  type: string
  schema_version: number
  /** ISO 8601 with milliseconds; never earlier than that of the event before it in the log. */
  time: string
  /** The id of the token that caused the event, or `system`. */
  principal: string
  /** The user to whom the event belongs. Access is decided from the header alone. */
  owner: string
  session_id: string
  /** The root task, or the environment session. */
  correlation_id: string
  /** `<stream>@<revision>` of the cause, else the request id. */
  causation_id: string
  /** The version of Reprise and of the task chart. */
  build: string
  /** Tasks only. `seq`: the number of the event's first frame; `frames`: how many frames the event gives. */
  seq?: number
  frames?: number
}

/**
 * A stored event. `position` counts from 1 in the whole log, without holes; `revision` counts from 0 in its stream. The
 * decoder of its kind of stream (`decoders/`) types the data; `Event` is then one of the events of that kind.
 */
export type Recorded<Event extends { data: unknown } = { data: unknown }> = {
  position: number
  header: Header
} & Event

export type NewEvent = { type: string; schema_version: number; data: object; seq?: number; frames?: number }

/** Events that one writer adds to one stream. `expectedRevision` is -1 for a new stream. */
export type StreamAppend = {
  stream: string
  expectedRevision: number
  /** The id of the stream was just made, so no such stream exists and the log does not look for it. */
  justMade?: boolean
  principal: string
  owner: string
  session_id: string
  correlation_id: string
  causation_id: string
  events: NewEvent[]
}

export interface Log {
  /**
   * Stores all of the events or none, and resolves when they are durable. Throws RevisionConflict or StorageFailure.
   * `ordered` receives the events as soon as their order is fixed: within the call, unless the log must be opened again
   * first. They are not durable then, and are lost when the promise rejects.
   */
  append(appends: StreamAppend[], ordered?: (events: Recorded[]) => void): Promise<Recorded[]>
  /** The events of one stream after `revision` (-1: from the start), in pages. Throws DamagedEvent. */
  readStream(stream: string, after?: number): AsyncIterable<Recorded[]>
  /** The same, synchronously: for work that must happen in the same turn as the commit before it. */
  streamPages(stream: string, after?: number): Iterable<Recorded[]>
  /** All events after `position`, in pages, up to the head at the time of reading. Throws DamagedEvent. */
  readAll(after?: number): AsyncIterable<Recorded[]>
  /** The first event of a stream. Throws DamagedEvent. */
  firstOf(stream: string): Promise<Recorded | undefined>
  /** The newest stored event of a stream. Throws DamagedEvent. */
  lastOf(stream: string): Promise<Recorded | undefined>
  /** The last revision of a stream, which may not be durable yet; -1 when there is no such stream. */
  revisionOf(stream: string): number
  /** The last position; 0 for an empty log. */
  head(): number
  /** The leaf that is stored at a position; undefined when the log has no such position. */
  leafAt(position: number): string | undefined
}

/** Another writer appended to the stream first. */
export class RevisionConflict extends Error {
  constructor(
    readonly stream: string,
    readonly expected: number,
    readonly actual: number,
  ) {
    super(`${stream} is at revision ${actual}, not ${expected}`)
  }
}

/** The log could not be written. No event of the append is acknowledged. */
export class StorageFailure extends Error {}

/** A stored event cannot be read, or does not match its hash or its frame count. */
export class DamagedEvent extends Error {
  constructor(
    readonly position: number,
    why: string,
  ) {
    super(`the event at position ${position} ${why}`)
  }
}
