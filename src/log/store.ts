// The interface to the place where the rows of the log are stored. The log (log.ts) decides order, revisions and
// positions; a store only keeps rows and returns them. storage.ts has the rest of the interface: what is done with the
// stored rows beside the running log. chosen-storage.ts says which storage is used, and memory-store.ts is a store for
// tests.
import type { PayloadsErased } from '../contract/events/erasure-events.ts'

/**
 * Rows to write at consecutive positions from `first` on, packed so that sending them to a thread is cheap. `texts`
 * holds three texts for each row: the header without its digest and closing brace, the payload, and the salt. `long`
 * names the rows whose payload was stored in pieces before; the second text of such a row is empty.
 */
export type PackedBatch = {
  first: number
  streamNos: number[]
  revisions: number[]
  texts: string[]
  newStreams: { no: number; id: string }[]
  long: { position: number; payload: number }[]
  /** The events PayloadsErased among the rows. */
  erasures: { position: number; erased: Pick<PayloadsErased, 'streams' | 'from' | 'to'> }[]
  /**
   * Rows whose payloads were erased before these rows were copied from another log, with the digests of the payloads.
   * The second and third texts of such a row are empty.
   */
  gone?: { position: number; digest: string }[]
  /** The digests of all rows, one behind the other, if they are known. Absent: the store computes them. */
  digests?: string
}

/** Where the destroying of an erasure continues: after this revision of the stream with this number. */
export type ErasureCursor = { streamNo: number; revision: number }
/** `events`: the number of events whose payloads were destroyed. */
export type Destroyed = { next: ErasureCursor | undefined; events: number }
/** `held`: a reader still needs the WAL, so no page could be wiped. `some`: more pages are left. */
export type Wiped = 'done' | 'some' | 'held'

/** Piece `n` (from 0) of the long payload with the number `payload`, and the salt of its event. */
export type Piece = { payload: number; n: number; salt: string; text: string }

/** What a payload holds: its JSON value, the digest that follows from its text, and the first character of the text. */
export type Opened = { data: unknown; digest: string; begin: string }

/**
 * A row as stored, with the id of its stream. `payload` is null when the payload is long or was erased. `salt` is null
 * only when the payload was erased.
 */
export type Row = {
  position: number
  stream: string
  revision: number
  header: string
  payload: string | null
  salt: string | null
  leaf: string
}

export type StreamHead = { no: number; revision: number }

/** What a store could not read. */
export type Unread = 'LOG_DAMAGED' | 'LOG_UNREADABLE'
/**
 * Thrown by each read of a store that fails. `LOG_DAMAGED`: what is stored is not as it was written. `LOG_UNREADABLE`: it
 * cannot be read, which may pass. `cause` is the error of the store itself.
 */
export class Unreadable extends Error {
  readonly code: Unread

  constructor(code: Unread, cause: Error) {
    super(cause.message, { cause })
    this.code = code
  }
}
/** An error that passes between threads keeps only its code and its message. */
const unreadOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code
export const isUnreadable = (error: unknown): boolean =>
  unreadOf(error) === 'LOG_DAMAGED' || unreadOf(error) === 'LOG_UNREADABLE'
export const isDamagedStore = (error: unknown): boolean => unreadOf(error) === 'LOG_DAMAGED'

/** The error of the store itself, which may say what the system lacks, or the error that is given. */
export const reasonOf = (error: unknown): unknown => (error instanceof Unreadable ? error.cause : error)

/** Thrown by a write of a store when the disk takes no writes. `cause` is the error of the store itself. */
export class Unwritable extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

/**
 * The reads of a store. They are synchronous, since an actor reads the head of its stream and its last events within its
 * turn, and a page of the file costs less than a turn of the event loop. They throw Unreadable.
 */
export interface StoreReads {
  /** The position of the event PayloadsErased that covers a position; undefined: there is none. */
  erasedBy(position: number): number | undefined
  /**
   * The rows after a position: up to `limit`, and fewer when they are long (reading.ts says how long). An empty list:
   * nothing follows.
   */
  page(after: number, limit: number): Row[]
  streamPage(stream: string, after: number, limit: number): Row[]
  /** The numbers of the streams after a stream whose first event names this session, in order of creation. */
  sessionStreams(session: string, after: number, limit: number): number[]
  /** The positions of the first events of a stream after a revision, in their order. */
  streamPositions(no: number, after: number, limit: number): number[]
  headOf(stream: string): StreamHead | undefined
  last(): Row | undefined
  lastOf(stream: string): Row | undefined
  lastStreamNo(): number
  /** The highest number of a long payload; 0: there is none. */
  lastPayload(): number
  /** The text of the long payload of an event; undefined: the event has none. */
  longPayload(position: number): string | undefined
  leafAt(position: number): string | undefined
  logId(): string
  close(): Promise<void>
}

/** What the running log reads and writes. */
export interface Store extends StoreReads {
  /** Writes the whole batch or nothing. The batch is durable when this resolves. */
  write(batch: PackedBatch): Promise<void>
  /** Writes one piece of a long payload, durably. The pieces of a payload are written in order. */
  writePiece(piece: Piece): Promise<void>
  /** Removes the pieces of a payload that no event has. */
  dropPieces(payload: number): Promise<void>
  /**
   * Notes what the event PayloadsErased at the position `by` covers. From then on, `erasedBy` finds it. `destroy` does the
   * same first.
   */
  noteErasure(by: number): Promise<void>
  /**
   * Destroys some of the payloads and salts that the event PayloadsErased at the position `by` covers. To be called
   * again until there is no `next`.
   */
  destroy(by: number, after: ErasureCursor | undefined): Promise<Destroyed>
  /**
   * Destroys some of the traces that earlier calls of `destroy` have left in the files. `isAll`: also what a crash has
   * left. To be called again, without `isAll`, while more is left.
   */
  wipe(isAll: boolean): Promise<Wiped>
  /** True: other places have the rows, too. After a failed write, only `reopen` reads what they have. */
  isShared?: true
  /**
   * Opens the files again after a failed write, so that the content of the disk is known. Rejects unless they can be
   * written: another process may hold the lock for writing, which hinders no opening.
   */
  reopen(): Promise<void>
  /** Says in words what somebody did to the open files; undefined: the files are in order. */
  fault(): string | undefined
  /** Copies written rows from the WAL into the main file, as far as that is possible. */
  checkpoint(): Promise<void>
  /**
   * Opens the long payload of the event at a position, which has this salt. In a server, another thread does the work.
   * Rejects with DamagedEvent.
   */
  openLong(position: number, salt: string): Promise<Opened>
}
