// Applies a record of events: opens it, notes which keys have sealed which streams, adds its rows, and destroys what
// the erasures in it cover.
import { wipeAll } from '../../log/destruction.ts'
import type { PackedBatch, Store } from '../../log/store.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'
import type { Content } from '../records/content.ts'
import { unpackEvents } from '../records/packed-events.ts'
import { UnfitRecord } from '../shared-log.ts'
import type { BareRows } from './bare-rows.ts'
import { destroyAll } from './erasures.ts'
import { LacksKeys } from './errors.ts'
import type { OpenPieces } from './open-pieces.ts'
import type { RowWrites } from './row-writes.ts'
import { endOf } from './rows.ts'

type Events = Extract<Content, { kind: 'events' }>
type Deps = {
  local: Store
  keys: StreamKeys
  pieces: OpenPieces
  rows: RowWrites
  bare: BareRows
  /** Called before payloads of these streams are destroyed, to remove what the payloads name. */
  erasing: (streams: readonly string[]) => Promise<void>
}

export const createEventsTaker = ({ local, keys, pieces, rows, bare, erasing }: Deps) => {
  let isWiped = true
  let wiping: Promise<void> | undefined

  /**
   * Gives the long payloads of new rows their numbers on this node, and removes those of rows that are known already or
   * erased.
   */
  const takeLong = async (batch: PackedBatch): Promise<PackedBatch['long']> => {
    const taken: PackedBatch['long'] = []
    for (const { position, payload } of batch.long) {
      const found = pieces.of(payload)
      const streamNo = batch.streamNos[position - batch.first]
      if (found !== undefined && streamNo !== undefined) keys.addUse(streamNo, found.key)
      const isGone = batch.gone?.some(each => each.position === position)
      if (position <= rows.head() || isGone || found?.no === undefined) await pieces.drop(payload)
      else taken.push({ position, payload: pieces.take(payload)?.no ?? 0 })
    }
    return taken
  }
  const streamNosOf = (streams: string[]): number[] =>
    streams.flatMap(stream => local.headOf(stream)?.no ?? [])
  const noteKeys = ({ erasures, bound = [0, 0], keys: names }: Events['facts']): void => {
    for (const { erased } of erasures) keys.retire(streamNosOf(erased.streams), bound)
    keys.use(names)
  }
  /**
   * Destroys what erasures cover, as soon as the rows of the erasures are in the file. `isKnown`: the record was read
   * before, and a crash came. Then, and when an earlier try has failed, any page may have traces: `wipe` looks for them.
   */
  const erase = async (erasures: PackedBatch['erasures'], isKnown: boolean): Promise<void> => {
    if (erasures.length === 0) return
    await rows.drain()
    await erasing(erasures.flatMap(({ erased }) => erased.streams))
    const wasWiped = isWiped
    isWiped = false
    for (const { position } of erasures) await destroyAll(local, keys, position)
    isWiped = wasWiped && !isKnown && (await wipeAll(local, false))
  }

  const wipeRest = async (): Promise<void> => {
    if (!isWiped) isWiped = await wipeAll(local, true)
  }

  return {
    /** Resolves to the last position of the record. */
    async take(sequence: number, content: Events): Promise<number> {
      const opened = keys.reading(() => unpackEvents(content, keys.keyOf))
      if (opened.lacking.length > 0) throw new LacksKeys(opened.lacking)
      const { erasures } = content.facts
      if (erasures.length > 0) await rows.drain() // then the numbers of the erased streams are in the file
      noteKeys(content.facts)
      const long = await takeLong(opened.batch)
      bare.add((opened.batch.gone ?? []).map(({ position }) => position))
      const isKnown = opened.batch.first <= rows.head()
      await rows.add(opened, long)
      await erase(erasures, isKnown)
      if (opened.batch.streamNos.length === 0) throw new UnfitRecord(sequence, 'has no events')
      return endOf(opened.batch)
    },
    /** Whether no file has traces of erased payloads. */
    isWiped: (): boolean => isWiped,
    /**
     * Removes traces of erased payloads that could not be removed while another process read the files, or that a crash
     * has left.
     */
    wipe(): Promise<void> {
      // A second call would begin again with the first page.
      wiping ??= wipeRest().finally(() => {
        wiping = undefined
      })
      return wiping
    },
  }
}
