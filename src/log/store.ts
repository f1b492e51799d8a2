// Where the rows of the log are stored. The log (log.ts) decides order, revisions and positions; a store only keeps
// rows and returns them. There are two stores: a SQLite file (sqlite-store.ts) and memory (memory-store.ts).

/**
 * Rows to write at consecutive positions from `first` on, packed so that sending them to a thread is cheap. `texts`
 * holds three texts for each row: the header without its digest and closing brace, the payload, and the salt.
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
  /** Writes the whole batch or nothing. It is durable when this resolves. */
  write(batch: PackedBatch): Promise<void>
  /** Opens the files again after a failed write, so that the content of the disk is known. */
  reopen(): Promise<void>
  /** What somebody did to the open files, in a sentence; undefined: the files are in order. */
  trouble(): string | undefined
  /** Copies written rows from the WAL into the main file, as far as that is possible. */
  secure(): Promise<void>
  /**
   * The rows after a position: up to `limit`, and fewer when they are long (reading.ts says how long). An empty list:
   * nothing follows.
   */
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
