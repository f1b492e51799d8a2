// Brings the records of the shared log into the files of this node. Each record may come again, for example after a
// crash: rows that are there already are compared with the record, and stay as they are. Writes of rows begin without
// anybody waiting for them; `drain` waits for all of them.
import type { Store } from '../../log/store.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'
import type { Content, Facts, KeyName } from '../records/content.ts'
import { unseal } from '../records/sealing.ts'
import { UnfitRecord } from '../shared-log.ts'
import { createBareRows } from './bare-rows.ts'
import type { CopiedSecrets } from './copied-secrets.ts'
import { Divergence, LacksKeys } from './errors.ts'
import { isOfDisk } from './log-conditions.ts'
import type { OpenPieces } from './open-pieces.ts'
import type { Mark } from './reader.ts'
import { createRowWrites } from './row-writes.ts'
import { createEventsTaker } from './take-events.ts'

export type Claimed = { mark: Mark } & Facts['claim']
type Deps = {
  local: Store
  keys: StreamKeys
  pieces: OpenPieces
  secrets: CopiedSecrets
  logId: string
  /** Called before payloads of these streams are destroyed, to remove what the payloads name. */
  erasing: (streams: readonly string[]) => Promise<void>
}
type Of<K extends Content['kind']> = Extract<Content, { kind: K }>

/** The error of a record that could not be applied, which names its sequence. */
const withSequence = (sequence: number, error: unknown): unknown => {
  if (error instanceof LacksKeys || error instanceof Divergence || error instanceof UnfitRecord) return error
  if (isOfDisk(error)) return error
  const named = new UnfitRecord(sequence, `cannot be applied (${(error as Error).message})`)
  return Object.assign(named, { cause: error })
}

export const createApplier = ({ local, keys, pieces, secrets, logId, erasing }: Deps) => {
  const rows = createRowWrites(local)
  const bare = createBareRows(local)
  const events = createEventsTaker({ local, keys, pieces, rows, bare, erasing })
  let claim: Claimed | undefined
  /** A node with fewer events than this may not own the log. */
  let least = 0

  /** The text that the key with this name has sealed; undefined: the key was destroyed. */
  const unsealed = (name: KeyName, sealed: Uint8Array = new Uint8Array()): string | undefined => {
    const key = keys.keyOf(...name)
    if (key === undefined) throw new LacksKeys([name])
    return key === 'destroyed' ? undefined : unseal(key, sealed)
  }
  const piece = ({ facts, parts }: Of<'piece'>): void => {
    const plain = unsealed(facts.key, parts[0])
    const [salt = ''] = plain?.split('\n', 1) ?? []
    rows.join(pieces.add(facts.payload, facts.n, facts.key, salt, plain?.slice(salt.length + 1)))
  }
  const drop = async ({ facts }: Of<'drop'>): Promise<void> => {
    await rows.drain()
    const name = pieces.of(facts.payload)?.key
    await pieces.drop(facts.payload)
    if (name !== undefined) keys.destroyKey(name)
  }
  const secret = ({ facts, parts }: Of<'secret'>): void => {
    const text = unsealed(facts.key, parts[0])
    if (text !== undefined) secrets.put(facts.ref, facts.key, text)
  }
  const noteClaim = async (mark: Mark, { facts }: Of<'claim'>): Promise<void> => {
    await rows.drain()
    await pieces.dropAll()
    claim = { mark, ...facts }
  }
  const mustBegin = (sequence: number, { facts }: Of<'begin'>): void => {
    if (sequence !== 1 || facts.log_id !== logId)
      throw new UnfitRecord(sequence, `begins the log ${facts.log_id}, and not ${logId}`)
    least = facts.position
  }
  const others = async (mark: Mark, content: Exclude<Content, Of<'events'>>): Promise<void> => {
    if (content.kind === 'piece') piece(content)
    if (content.kind === 'drop') await drop(content)
    if (content.kind === 'secret') secret(content)
    if (content.kind === 'forget') secrets.forget(content.facts.ref)
    if (content.kind === 'claim') await noteClaim(mark, content)
    if (content.kind === 'begin') mustBegin(mark.sequence, content)
  }

  return {
    drain: rows.drain,
    /** Applies a record. Resolves to the last position that the log has up to this record. */
    async apply(mark: Mark, content: Content): Promise<number> {
      try {
        if (content.kind === 'events') return await events.take(mark.sequence, content)
        await others(mark, content)
        return mark.position
      } catch (error) {
        throw withSequence(mark.sequence, error)
      }
    },
    /** Continues behind the last row in the file, after a failure. */
    async restart(): Promise<void> {
      await rows.drain().catch(() => {})
      await pieces.dropAll()
      await rows.restart()
    },
    /** The last position of this node. */
    head: rows.head,
    /** The last claim that was read. */
    claim: (): Claimed | undefined => claim,
    /** How many events a node must have to own the log. */
    least: (): number => least,
    /** How many batches of rows were written. */
    applied: rows.added,
    /** How many rows lack a payload although no erasure covers them. */
    bareRows: bare.count,
    isWiped: events.isWiped,
    wipe: events.wipe,
  }
}
export type Applier = ReturnType<typeof createApplier>
