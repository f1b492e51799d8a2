// Where the log's rows live. The log (log.ts) decides order, revisions and positions; a store only keeps rows
// durably and gives them back. Two of them: a SQLite file (sqlite-store.ts) and memory (memory-store.ts).

/**
 * Rows to write at consecutive positions from `first`, packed so that they travel to a thread cheaply: `texts`
 * holds three for each row, the header without its digest and closing brace, the payload, the salt.
 */
export type PackedBatch = {
  first: number
  streamNos: number[]
  revisions: number[]
  texts: string[]
  newStreams: { no: number; id: string }[]
}

/** A row as stored, with the id of its stream. */
export type Row = {
  position: number
  stream: string
  revision: number
  header: string
  payload: string | null
  salt: string
  leaf: string
}

export type StreamHead = { no: number; revision: number }

export interface Store {
  /** Durable when it resolves; all of the batch or nothing. */
  write(batch: PackedBatch): Promise<void>
  /** After a failed write: open anew, so that what is on the disk is known again. */
  reopen(): Promise<void>
  /** What somebody did to the files while they are open, in a sentence; undefined: nothing. */
  trouble(): string | undefined
  /** Moves what was written into the main file, as far as that can be had. */
  secure(): Promise<void>
  /** At most `limit` rows, and fewer when they are long (reading.ts says how long); none: nothing follows. */
  page(after: number, limit: number): Row[]
  streamPage(stream: string, after: number, limit: number): Row[]
  headOf(stream: string): StreamHead | undefined
  last(): Row | undefined
  lastOf(stream: string): Row | undefined
  lastStreamNo(): number
  leafAt(position: number): string | undefined
  logId(): string
  close(): Promise<void>
}
