// Brings the records of the shared log into the files of this node. Each record may come again, for example after a
// crash: what is there already is compared and left as it is. Writes of rows are handed on without waiting for them;
// `drain` waits.
import type { PackedBatch, Store } from '../../log/store.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'
import type { Content, Facts, KeyName } from '../records/content.ts'
import { UnfitRecord } from '../records/form.ts'
import { unpackEvents } from '../records/packed-events.ts'
import { unseal } from '../records/sealing.ts'
import type { CopiedSecrets } from './copied-secrets.ts'
import { destroyAll } from './erasures.ts'
import { Divergence, LacksKeys } from './errors.ts'
import type { OpenPieces } from './open-pieces.ts'
import type { Mark } from './reader.ts'
import { behind, endOf, mustAgree } from './rows.ts'

export type Claimed = { mark: Mark } & Facts['claim']
type Deps = {
  local: Store
  keys: StreamKeys
  pieces: OpenPieces
  secrets: CopiedSecrets
  logId: string
  /** Called before payloads of these streams are destroyed, for what the payloads name. */
  erasing: (streams: readonly string[]) => Promise<void>
}
type Of<K extends Content['kind']> = Extract<Content, { kind: K }>

export const createApplier = ({ local, keys, pieces, secrets, logId, erasing }: Deps) => {
  let head = local.last()?.position ?? 0
  let writing: Promise<void>[] = []
  let claim: Claimed | undefined
  /** Rows without a payload that no erasure covers so far. */
  let bare = new Set<number>()
  let isWiped = true
  let applied = 0

  const drain = async (): Promise<void> => {
    const waited = writing
    writing = []
    for (const result of await Promise.allSettled(waited))
      if (result.status === 'rejected') throw result.reason
  }
  /** The key of that name; undefined: it was destroyed. */
  const keyOf = (name: KeyName): Buffer | undefined => {
    const key = keys.keyOf(...name)
    if (key === undefined) throw new LacksKeys([name])
    return key === 'destroyed' ? undefined : key
  }
  /** Gives the long payloads of new rows their numbers on this node, and removes those of known rows. */
  const takeLong = async (batch: PackedBatch): Promise<PackedBatch['long']> => {
    const taken: PackedBatch['long'] = []
    for (const { position, payload } of batch.long) {
      const found = pieces.of(payload)
      const streamNo = batch.streamNos[position - batch.first]
      if (found !== undefined && streamNo !== undefined) keys.addUse(streamNo, found.key)
      const isGone = batch.gone?.some(each => each.position === position)
      if (position <= head || isGone || found?.no === undefined) await pieces.drop(payload)
      else taken.push({ position, payload: pieces.take(payload)?.no ?? 0 })
    }
    return taken
  }
  const streamNosOf = (streams: string[]): number[] =>
    streams.flatMap(stream => local.headOf(stream)?.no ?? [])
  const events = async ({ sequence }: Mark, content: Of<'events'>): Promise<number> => {
    const opened = unpackEvents(content, keys.keyOf)
    if (opened.lacking.length > 0) throw new LacksKeys(opened.lacking)
    const { erasures, bound = [0, 0], keys: names } = content.facts
    if (erasures.length > 0) await drain()
    for (const { erased } of erasures) keys.retire(streamNosOf(erased.streams), bound)
    for (const [streamNo, ...name] of names) keys.use(streamNo, name)
    const whole = { ...opened.batch, long: await takeLong(opened.batch) }
    for (const { position } of whole.gone ?? []) bare.add(position)
    const end = endOf(whole)
    if (whole.first > head + 1) throw new Divergence(head + 1, 'lacks the event')
    if (whole.first <= head) {
      await drain()
      mustAgree(local, head, opened)
    }
    if (end > head) {
      writing.push(local.write(behind(whole, head, whole.first <= head ? local.lastStreamNo() : 0)))
      head = end
      applied++
    }
    if (erasures.length > 0) {
      await drain()
      await erasing(erasures.flatMap(({ erased }) => erased.streams))
    }
    for (const { position } of erasures) isWiped = (await destroyAll(local, keys, position)) && isWiped
    if (whole.streamNos.length === 0) throw new UnfitRecord(sequence, 'has no events')
    return end
  }
  const piece = async ({ facts, parts }: Of<'piece'>): Promise<void> => {
    const key = keyOf(facts.key)
    const plain = key && unseal(key, parts[0] ?? new Uint8Array())
    const [salt = ''] = plain?.split('\n', 1) ?? []
    writing.push(pieces.add(facts.payload, facts.n, facts.key, salt, plain?.slice(salt.length + 1)))
  }
  const others = async (mark: Mark, content: Exclude<Content, Of<'events'>>): Promise<void> => {
    if (content.kind === 'piece') return piece(content)
    if (content.kind === 'drop') {
      await drain()
      const name = pieces.of(content.facts.payload)?.key
      await pieces.drop(content.facts.payload)
      if (name !== undefined) keys.destroyKey(name)
    }
    if (content.kind === 'secret') {
      const { ref, key: name } = content.facts
      const key = keyOf(name)
      if (key !== undefined) secrets.put(ref, name, unseal(key, content.parts[0] ?? new Uint8Array()))
    }
    if (content.kind === 'forget') secrets.forget(content.facts.ref)
    if (content.kind === 'claim') {
      await drain()
      await pieces.dropAll()
      claim = { mark, ...content.facts }
    }
    if (content.kind === 'begin' && (mark.sequence !== 1 || content.facts.log_id !== logId))
      throw new UnfitRecord(mark.sequence, `begins the log ${content.facts.log_id}, and not ${logId}`)
  }

  return {
    drain,
    /** Applies a record. Resolves to the last position of the log up to it. */
    async apply(mark: Mark, content: Content): Promise<number> {
      try {
        if (content.kind === 'events') return await events(mark, content)
        await others(mark, content)
        return mark.position
      } catch (error) {
        if (error instanceof LacksKeys || error instanceof Divergence || error instanceof UnfitRecord)
          throw error
        throw Object.assign(
          new UnfitRecord(mark.sequence, `cannot be applied (${(error as Error).message})`),
          {
            cause: error,
          },
        )
      }
    },
    /** Goes on with the rows that are in the file. */
    async restart(): Promise<void> {
      await drain().catch(() => {})
      await pieces.dropAll()
      head = local.last()?.position ?? 0
    },
    /** The last position of this node. */
    head: (): number => head,
    /** The last claim that was read. */
    claim: (): Claimed | undefined => claim,
    /** How many batches of rows were written. */
    applied: (): number => applied,
    /** How many rows lack a payload although no erasure covers them. */
    bareRows(): number {
      const isBare = (position: number) =>
        local.erasedBy(position) === undefined && local.page(position - 1, 1)[0]?.salt === null
      bare = new Set([...bare].filter(isBare))
      return bare.size
    },
    /** Tries again to remove what a reader of the files has kept. */
    async wipe(): Promise<void> {
      if (!isWiped) isWiped = await local.wipe()
    },
  }
}
export type Applier = ReturnType<typeof createApplier>
