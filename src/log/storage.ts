// The interface to the place of a log, beside the store that the running log uses (store.ts): opening it, reading it
// while another process may write to it, and copying it. A place is a path; a storage decides what is there.
// chosen-storage.ts says which storage is used.
//
// What nobody waits for in the middle of a turn is asynchronous here: verifying, exporting, auditing, commands.
import type { StoredTexts } from './fits.ts'
import type { Store, StoreReads } from './store.ts'

/**
 * A row with the number of its stream. `stream` is null when there is no such stream, or when nobody asked for it. An
 * erased payload is null. So is a long one, unless the function says that it reads these.
 */
export type StoredRow = StoredTexts & { position: number; streamNo: number }

/** Opens a log for reading. Its head moves when another process appends. */
export interface LogReads extends StoreReads {
  /** The last position; 0 for an empty log. */
  head(): number
  /** Up to `limit` streams after the one with this number, in order of creation. Rejects with Unreadable. */
  streamsAfter(no: number, limit: number): Promise<{ no: number; id: string }[]>
  /** The first position up to `end` that has no event; undefined: every position has one. Rejects with Unreadable. */
  firstHole(end: number): Promise<number | undefined>
}

/**
 * Reads rows as they are stored, with long payloads, in the order of their positions, to verify or export the log.
 * Damaged rows are returned like all others. Functions reject with Unreadable if nothing else is said.
 */
export interface StoredRows {
  logId(): Promise<string>
  /** The last position; 0 for an empty log. */
  head(): Promise<number>
  /**
   * The rows after a position, up to the position `end`. Ends early when all positions of one page have no row.
   * Rejects with DamagedEvent for a row that cannot be read.
   */
  pages(after: number, end: number): AsyncGenerator<StoredRow[]>
  /** The rows of one stream by revision, in pages. */
  ofStream(stream: string): AsyncGenerator<StoredRow[]>
  /** The first event of each stream of this owner or of this session, in order of creation, in pages. An index finds them. */
  beginningsOf(name: 'owner' | 'session_id', value: string): AsyncGenerator<StoredRow[]>
  /** The position of the last event of a stream; 0: there is no such stream. */
  endOf(stream: string): Promise<number>
  /** The first stream that has no event; undefined: each stream has one. */
  emptyStream(): Promise<string | undefined>
  /** Says what the storage itself finds wrong with what it keeps, such as its indexes. This may read everything. */
  fault(): Promise<string | undefined>
  close(): Promise<void>
}

/**
 * Reads leaves and headers by position, for the tree over the log. They are read synchronously, since the tree needs a
 * leaf in the middle of a computation. In a server a thread of its own does this, and nobody else waits for it.
 */
export interface Leaves {
  /** The leaves of the next `count` events after a position. Throws DamagedEvent when one is missing or unreadable. */
  leaves(after: number, count: number): string[]
  /** The headers of the next `count` events after a position. Throws DamagedEvent when one is missing or unreadable. */
  headers(after: number, count: number): string[]
  close(): void
}

/** The first or the last event of a stream. */
export type Place = { position: number; revision: number; header: string; leaf: string }
/** Streams with numbers after `from`, up to `to`. */
export type StreamRange = { from: number; to: number }

/**
 * What the audit trail reads, beside a running log. Long payloads are null, and `piece` reads them. A page ends early when
 * its rows are long. Functions reject with Unreadable.
 */
export interface AuditRows {
  /** Up to `limit` events after a position, up to the position `end`. */
  page(after: number, end: number, limit: number): Promise<StoredRow[]>
  /** Up to `limit` events of the stream with this number, after a revision, up to the position `end`. */
  streamPage(no: number, after: number, end: number, limit: number): Promise<StoredRow[]>
  /** The events of an owner after a position, up to the position `end`. `stream` is null when there is no such stream. */
  ownerPage(owner: string, after: number, end: number): Promise<StoredRow[]>
  /** Piece `n` of the long payload of the event at a position; undefined: there is no such piece. */
  piece(position: number, n: number): Promise<string | undefined>
  /** The position of the event PayloadsErased that covers a position; undefined: there is none. */
  erasedBy(position: number): Promise<number | undefined>
  streamNo(stream: string): Promise<number | undefined>
  streamId(no: number): Promise<string | undefined>
  lastStreamNo(): Promise<number>
  /** The last revision of a stream up to a position; -1: there is none. */
  revisionAt(no: number, position: number): Promise<number>
  positionOf(no: number, revision: number): Promise<number | undefined>
  firstOf(no: number): Promise<Place | undefined>
  /** The last event of a stream up to a position. */
  lastOf(no: number, end: number): Promise<Place | undefined>
  /** The numbers of up to `limit` streams of an owner, the oldest or the newest ones of the range, in this order. */
  streamsOfOwner(owner: string, range: StreamRange, limit: number, isNewestFirst: boolean): Promise<number[]>
  /** The numbers of the streams whose name contains a text in any case, or whose owner has this name, in order. */
  streamsNamed(text: string, range: StreamRange): Promise<number[]>
  close(): Promise<void>
}

/** Each function that opens something throws CannotStart when there is no log that can be used. */
export interface Storage {
  /**
   * Opens a log for writing, and begins one with a new id where none is. `others`: further files that nobody may remove or
   * replace, so they are watched, too.
   */
  openStore(place: string, newLogId: () => string, others?: string[]): Store
  openReads(place: string): LogReads
  openStoredRows(place: string): StoredRows
  openLeaves(place: string): Leaves
  openAuditRows(place: string): AuditRows
  /** Whether something is there that is a log, or was meant to be one. */
  isThere(place: string): boolean
  /** Whether there is a log. A place where the first start ended early has none. */
  isBegun(place: string): boolean
  /** A value that changes when another log takes the place of this one. */
  identityOf(place: string): string | undefined
  /** Throws CannotStart if a server would refuse to start with this log. */
  mustBeUsable(place: string): void
  /**
   * Copies a log as it is at one moment into one new file, while a server may continue to write to the log. The file is on
   * the disk when this resolves. Until then, further files may lie beside it, whose names are its name, `-` and a word.
   * Rejects with Unreadable, or with an error of the system.
   */
  copyLog(place: string, to: string, onProgress: (done: number, total: number) => void): Promise<void>
  /** Lets a copied log take a place, where an old log may be. The old one stays whole until the copy has its place. */
  putInPlace(copy: string, place: string): void
}
