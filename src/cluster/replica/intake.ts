// Applies the records of the shared log to the files of this node, in order, and knows which one was applied last.
import type { Report, Timers } from '../../contract/ports.ts'
import type { Store } from '../../log/store.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'
import { digestOfRecord, openRecord } from '../records/form.ts'
import { type SharedLog, type SharedRecord, UnfitRecord } from '../shared-log.ts'
import { createApplier } from './applier.ts'
import type { CopiedSecrets } from './copied-secrets.ts'
import { createOpenPieces } from './open-pieces.ts'
import { createReader, type Mark, type Reader } from './reader.ts'
import { readState, saveState } from './state-file.ts'

/** Milliseconds between two savings of the state. */
const saveMs = 1000

export type IntakeDeps = {
  local: Store
  shared: Pick<SharedLog, 'read' | 'leadersRecord' | 'distrust'>
  keys: StreamKeys
  secrets: CopiedSecrets
  logId: string
  /** The key that signs records. */
  key: Buffer
  stateFile: string
  timers: Timers
  report: Report
  /** Called when rows were added to the local log. */
  applied: () => void
  /** Called before payloads of these streams are destroyed. */
  erasing: (streams: readonly string[]) => Promise<void>
}

type SavingDeps = Pick<IntakeDeps, 'stateFile' | 'timers' | 'report'> & {
  write: () => Promise<void>
  wipe: () => Promise<void>
}

/** Saves the state from time to time. A save begins only when the save before it has ended. */
const startSaving = ({ stateFile, timers, report, write, wipe }: SavingDeps) => {
  let last = Promise.resolve()
  const save = (): Promise<void> => {
    const saved = last.then(write)
    last = saved.catch(() => {})
    return saved
  }
  const cancel = timers.every(saveMs, () => {
    void wipe().catch(() => {})
    save().catch(error => report('warn', `${stateFile} cannot be written`, { error: String(error) }))
  })
  return {
    save,
    stop(): Promise<void> {
      cancel()
      return save()
    },
  }
}

/** A reader that continues from the saved state. `head`: the last position of the local log. */
const readerFrom = ({ key, logId, stateFile }: IntakeDeps, head: number): Reader => {
  const reader = createReader(key, logId)
  const saved = readState(stateFile, logId)
  // If the log is shorter than the state says, it was restored from a backup, and all records are read again.
  if (saved !== undefined && saved.position <= head) reader.goTo(saved)
  return reader
}

/**
 * The digest of a record as the server that leads has it; undefined: it has none that can be used. What that server has counts:
 * records are appended behind it, and servers that have others in these places are to drop theirs.
 */
const leadersDigest = async ({ shared, key }: IntakeDeps, sequence: number): Promise<Buffer | undefined> => {
  const record = await shared.leadersRecord(sequence)
  if (record === undefined) return undefined
  try {
    return openRecord(key, record).digest
  } catch (error) {
    if (error instanceof UnfitRecord) return undefined
    throw error
  }
}

/** Tells whether the shared log still has the last valid record that was read. */
const sameness = (deps: IntakeDeps, reader: Reader) => async (): Promise<boolean> => {
  const { shared } = deps
  const { valid, digest } = reader.at()
  if (valid === 0) return true
  const led = await leadersDigest(deps, valid)
  if (led !== undefined) return led.equals(digest)
  for (;;) {
    const [record] = await shared.read(valid - 1, 1)
    if (record === undefined) return false
    if (digestOfRecord(record.bytes).equals(digest)) return true
    // One server may have a damaged copy. If all say the same, the log is another one.
    if (!(await shared.distrust(record))) return false
  }
}

export const createIntake = (deps: IntakeDeps) => {
  const { local, keys, secrets, logId, stateFile } = deps
  const pieces = createOpenPieces(local)
  const applier = createApplier({ local, keys, pieces, secrets, logId, erasing: deps.erasing })
  const reader = readerFrom(deps, applier.head())
  /** The place after which reading can begin again: no long payload and no record in parts is unfinished there. */
  let safe = reader.at()
  let savedAt = safe.sequence
  /** The place up to which everything is in the files. */
  let stored = safe

  const settle = (): void => {
    stored = reader.at()
    if (!reader.isWithin() && pieces.isEmpty()) safe = reader.at()
  }
  const write = async (): Promise<void> => {
    const mark = safe
    // After a crash, the erasures whose traces are left must be read again.
    if (mark.sequence === savedAt || applier.bareRows() > 0 || !applier.isWiped()) return
    keys.write()
    await saveState(stateFile, logId, mark)
    savedAt = mark.sequence
  }
  const saving = startSaving({ ...deps, write, wipe: applier.wipe })
  const restart = async (): Promise<void> => {
    await applier.restart()
    reader.goTo(safe)
  }

  const isSame = sameness(deps, reader)
  /**
   * A record that does not follow the one before it is passed over. Throws UnfitRecord when it only seems so: the shared log has
   * lost the one before it, or the server that gave the record has another one in this place than the server that leads.
   */
  const mustBeVoid = async ({ sequence, bytes }: SharedRecord): Promise<void> => {
    if (!(await isSame()))
      throw new UnfitRecord(sequence, 'follows another record than the one read before it', true)
    const led = await leadersDigest(deps, sequence)
    if (led?.equals(digestOfRecord(bytes)) === false)
      throw new UnfitRecord(sequence, 'is another one at the server that leads')
  }

  return {
    isSame,
    /** Applies records that follow each other. When one cannot be applied, the records before it still are. */
    async take(records: readonly SharedRecord[]): Promise<void> {
      const before = applier.applied()
      try {
        for (const record of records) {
          const read = reader.open(record)
          if (read.isVoid) await mustBeVoid(record)
          const position =
            read.content === undefined ? read.mark.position : await applier.apply(read.mark, read.content)
          reader.advance({ mark: { ...read.mark, position }, joined: read.joined })
        }
      } finally {
        await applier.drain().catch(async error => {
          await restart()
          throw error
        })
        settle()
        if (applier.applied() > before) deps.applied()
      }
    },
    /** The place up to which records were taken in. */
    at: reader.at,
    /** The place up to which records are in the files. */
    stored: (): Mark => stored,
    /** Called when the owner has stored its own record, and the rows of that record. */
    advance(mark: Mark): void {
      reader.advance({ mark, joined: [] })
      settle()
    },
    /** Goes back to the last safe place, so that the records after it are read again. */
    restart,
    /** Reads all records again: the shared log is not the one that was read before. */
    async rewind(): Promise<void> {
      await applier.restart()
      keys.forgetUses()
      reader.goTo()
      safe = reader.at()
      stored = safe
    },
    pieces,
    head: applier.head,
    claim: applier.claim,
    least: applier.least,
    bareRows: applier.bareRows,
    save: saving.save,
    stop: saving.stop,
  }
}
export type Intake = ReturnType<typeof createIntake>
