// A log of records that several nodes share. Every node reads it. An append names the record behind which it belongs,
// so if two nodes append at once, one of them is refused. There are two implementations: on JetStream
// (nats/shared-log.ts), and in memory (memory-log.ts), which can lose and delay answers for tests.

/** `sequence` counts from 1, without holes. `server`: the name of the server whose copy it comes from. */
export type SharedRecord = { sequence: number; bytes: Uint8Array; server?: string }

/**
 * Another record stands already behind the record that an append named. The record of this append is surely not stored.
 */
export class Fenced extends Error {}

/**
 * The servers did not answer in time. The record may be stored, or may still become stored as long as no other record
 * stands in its place. So before the next append, read to the end. As soon as another record stands there, the servers
 * refuse this one if it comes late.
 */
export class Unknown extends Error {}

/**
 * The log has lost records that were handed over before: the log ends before them, or other records stand in their
 * places. This happens when servers had not written the records to disk before a power cut.
 */
export class LostTail extends Error {
  /** The last sequence that was handed over. */
  ours: number
  /** The last sequence of the log now. */
  theirs: number
  constructor(ours: number, theirs: number) {
    super(`the shared log has lost records: it ended at ${ours} or later, and ends at ${theirs} now`)
    this.ours = ours
    this.theirs = theirs
  }
}

/** A record cannot be used: it is damaged, or not signed with this cluster key, or it belongs elsewhere. */
export class UnfitRecord extends Error {
  readonly sequence: number
  /** Whether the log is no longer the one that was read before, because its servers have lost records. */
  readonly isMisplaced: boolean
  constructor(sequence: number, why: string, isMisplaced = false) {
    super(`record ${sequence} of the shared log ${why}`)
    this.sequence = sequence
    this.isMisplaced = isMisplaced
  }
}

/** A record within the log is on none of the servers that answer. */
export class MissingRecord extends Error {
  readonly sequence: number
  /** `servers`: the servers that were asked. */
  constructor(sequence: number, servers: readonly string[]) {
    super(`record ${sequence} of the shared log is missing on ${servers.join(' and ') || 'the NATS server'}`)
    this.sequence = sequence
  }
}

/** The stream of the log is gone from the servers, or begins another log. */
export class LostLog extends Error {}

/** What an operator does when the stream of the log is gone or empty. */
export const noLog =
  'If a node of this cluster has a log in its DATA_DIR, run "reprise cluster init --data DATA_DIR" on the machine of the node that owned the log last: its log goes on. For a new cluster, run "reprise cluster init"'

export type Following = {
  /** Resolves when no further record is handed over. */
  stop(): Promise<void>
}

export type SharedLog = {
  /** The largest size of a record, in bytes. */
  maxBytes: number
  /**
   * Appends a record behind the record with the sequence `expected` (0: the log is empty). Resolves when a majority of
   * the servers has stored it. The next append, with `expected + 1`, may be called before that. It is sent when this
   * record is stored. When this append fails, the next one fails with the same error, and its record is surely not
   * stored. Rejects with Fenced or Unknown.
   */
  append(expected: number, bytes: Uint8Array): Promise<void>
  /**
   * The last sequence; 0: the log is empty. The answer may be outdated: only an append proves where the end is. Rejects
   * with Unknown when no server answers in time.
   */
  tail(): Promise<number>
  /**
   * Resolves to up to `limit` records after a sequence, and to fewer when they are long. The newest records may be
   * missing. When the copy of one server lacks records, another server is asked. Rejects with Unknown when no server
   * answers in time, and with MissingRecord.
   */
  read(after: number, limit: number): Promise<SharedRecord[]>
  /**
   * Resolves to the record at a sequence as the server that leads the stream has it; undefined: that server has none, or cannot
   * read it. Another server may still have an earlier record in this place, which the servers have lost. Rejects with Unknown
   * when no server answers in time.
   */
  leadersRecord(sequence: number): Promise<SharedRecord | undefined>
  /**
   * Notes that a record that was read cannot be used. From then on, other servers are asked. Resolves to false when no other
   * server has a copy: then all are asked again.
   */
  distrust(record: SharedRecord): Promise<boolean>
  /**
   * Makes sure that no server leads whose copy ends earlier than another one: with the next append, the other servers would
   * drop what that server lacks. Resolves also when this cannot be found out. `after`: the last record that is known.
   */
  leadByLongest(after: number): Promise<void>
  /**
   * Hands over the records after a sequence, in order, then new ones. The next records come when the promise of
   * `handle` has resolved. Following connects again by itself. When records are missing in the copy of a server, or
   * `handle` throws UnfitRecord, the records after the last one that was handled come again, from another server.
   * Following ends when no other server has them (MissingRecord, UnfitRecord), when `handle` throws another error, and
   * when the log has lost records (LostTail, LostLog). `failed` then gets the error.
   */
  follow(
    after: number,
    handle: (records: SharedRecord[]) => void | Promise<void>,
    failed: (error: unknown) => void,
  ): Following
  close(): Promise<void>
}
