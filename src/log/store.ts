// Where the log's rows live. The log (log.ts) decides order, revisions and positions; a store only keeps rows
// durably and gives them back. Two of them: a SQLite file (sqlite-store.ts) and memory (memory-store.ts).

/** A row to write: `open` is the header text without its digest and closing brace. */
export type NewRow = {
  position: number
  streamNo: number
  revision: number
  open: string
  payload: string
  salt: string
}
export type Batch = { rows: NewRow[]; newStreams: { no: number; id: string }[] }

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
  write(batch: Batch): Promise<void>
  /** After a failed write: open anew, so that what is on the disk is known again. */
  reopen(): Promise<void>
  page(after: number, limit: number): Row[]
  streamPage(stream: string, after: number, limit: number): Row[]
  headOf(stream: string): StreamHead | undefined
  last(): Row | undefined
  lastStreamNo(): number
  leafAt(position: number): string | undefined
  logId(): string
  close(): Promise<void>
}
