// The shape of a stored event, and the interface of the log.

/** The stored header: JSON with its keys in this order. The writer of the event adds `digest` as the last key. */
export type Header = {
  stream: string
  revision: number
  type: string
  schema_version: number
  /** ISO 8601 with milliseconds. It is never earlier than the time of the event before it in the log. */
  time: string
  /** The id of the token that caused the event, or `system`. */
  principal: string
  /** The user to whom the event belongs. Access is decided from the header alone. */
  owner: string
  session_id: string
  /** The root task, or the environment session. */
  correlation_id: string
  /** `<stream>@<revision>` of the event that caused this one, or else the id of the request that did. */
  causation_id: string
  /** The version of Reprise and of the task chart. */
  build: string
  /** Only in events of tasks. `seq` is the number of the event's first frame. `frames` says how many frames it has. */
  seq?: number
  frames?: number
  /** Only in the past of a fork: the `<stream>@<revision>` of the event that was copied. */
  copy_of?: string
}

/**
 * A stored event. `position` counts from 1 in the whole log, without holes; `revision` counts from 0 in its stream. The
 * decoder for the kind of stream (`decoders/`) gives `data` its type. `Event` is then one of the events of that kind.
 */
export type Recorded<Event extends { data: unknown } = { data: unknown }> = {
  position: number
  header: Header
  /** Only of an erased event, which has no data: the position of the event PayloadsErased that covers it. */
  erased_by?: number
} & Event

export type NewEvent = {
  type: string
  schema_version: number
  data: object
  seq?: number
  frames?: number
  copy_of?: string
}

/** Events that one writer adds to one stream. `expectedRevision` is -1 for a new stream. */
export type StreamAppend = {
  stream: string
  expectedRevision: number
  /** True: the caller has just made the id of the stream. The stream cannot exist, so the log does not look for it. */
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
   * `ordered` receives the events as soon as their order is fixed: within the call, unless a payload is long or the log
   * must be opened again first. The events are not durable at that time, and are lost when the promise rejects.
   */
  append(appends: StreamAppend[], ordered?: (events: Recorded[]) => void): Promise<Recorded[]>
  /** The events of one stream after `revision` (-1: from the start), in pages. Throws DamagedEvent. */
  readStream(stream: string, after?: number): AsyncIterable<Recorded[]>
  /** Does what `readStream` does, synchronously: for work in the turn of the event loop in which a commit ended. */
  streamPages(stream: string, after?: number): Iterable<Recorded[]>
  /** All events after `position`, in pages, up to the head at the time of reading. Throws DamagedEvent. */
  readAll(after?: number): AsyncIterable<Recorded[]>
  /**
   * The events after `position` of the streams whose first event names this session, in pages, in the order of the log, up
   * to the head at the time of the first page. Throws DamagedEvent.
   */
  readSession(session: string, after?: number): AsyncIterable<Recorded[]>
  /** The first event of a stream. Throws DamagedEvent. */
  firstOf(stream: string): Promise<Recorded | undefined>
  /** The newest stored event of a stream. Throws DamagedEvent. */
  lastOf(stream: string): Promise<Recorded | undefined>
  /** The last revision of a stream, which may not be durable yet; -1 if the stream does not exist. */
  revisionOf(stream: string): number
  /**
   * Resolves when reading shows everything that is stored. After a failed write, a log that nodes share may have events
   * that this node has not read: then the log is opened again first. Rejects with StorageFailure when that fails.
   */
  complete(): Promise<void>
  /** The last position; 0 for an empty log. */
  head(): number
  /** The last position whose event has this time (milliseconds since 1970) or an earlier one; 0: there is none. */
  lastAt(time: number): number
  /** The leaf that is stored at a position; undefined when the log has no such position. */
  leafAt(position: number): string | undefined
}

/** The part of the log with which a request makes sure that it sees the events of earlier requests. */
export interface FailingLog {
  /** Whether a write has failed and the log was not opened again since. */
  isFailing(): boolean
  /**
   * Resolves when no write has failed, or when the log was opened again since: only then it shows whether the events of
   * the failed write are stored. Rejects with StorageFailure when it cannot be opened now.
   */
  opened(): Promise<void>
}

/** Another writer appended to the stream first. */
export class RevisionConflict extends Error {
  readonly stream: string
  readonly expected: number
  readonly actual: number

  constructor(stream: string, expected: number, actual: number) {
    super(`${stream} is at revision ${actual}, not ${expected}`)
    this.stream = stream
    this.expected = expected
    this.actual = actual
  }
}

/** The log could not be written. No event of the append is acknowledged, but the file may have the events. */
export class StorageFailure extends Error {}
/** Whether the error of a system call says that the disk, or a quota on it, is full. */
export const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')
/** Whether the events of an append that was rejected with this error may be stored all the same. */
export const mayBeStored = (error: unknown): boolean => error instanceof StorageFailure

/** The data of an event was erased, so nothing can be made from the event any more. */
export class ErasedEvent extends Error {
  readonly position: number
  readonly erasedBy: number

  constructor(position: number, erasedBy: number) {
    super(`the event at position ${position} was erased by the event at position ${erasedBy}`)
    this.position = position
    this.erasedBy = erasedBy
  }
}

/** A stored event cannot be read, or does not match its hash or its frame count. */
export class DamagedEvent extends Error {
  readonly position: number
  readonly why: string

  constructor(position: number, why: string) {
    super(`the event at position ${position} ${why}`)
    this.position = position
    this.why = why
  }
}
