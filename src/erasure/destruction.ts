// Destroys everything that a stored erasure covers: files and secrets first, because only the payloads name them, then
// messages in NATS, the payloads, and at last copies in read models, in memory and in the files of the log. So a crash
// loses nothing that a later attempt needs. Each step may be repeated.
import type { ErasureFinished, NotErased } from '../contract/erasure-events.ts'
import type { Log } from '../contract/stored.ts'
import type { Reach } from '../contract/tools.ts'
import type { EventLog } from '../log/log.ts'
import type { StoredErasure } from './stored-erasures.ts'

export type Destroyers = {
  log: Pick<EventLog, 'destroy' | 'wipe' | 'head'> & Pick<Log, 'append' | 'revisionOf'>
  /** Resolves when the read models have marked the streams of all stored erasures as erased. */
  rowsErased: () => Promise<void>
  /** Removes files and secrets. Resolves to the folders left for other tasks. `earlier`: those of earlier attempts. */
  files: (streams: readonly string[], earlier: readonly NotErased[]) => Promise<NotErased[]>
  /** Makes the server drop everything about these streams that it keeps in memory. */
  forget: (streams: readonly string[]) => void
  /** Writes the file of the read models anew, since free space in the old file may still contain erased data. */
  rewriteReadModels: () => Promise<void>
  /** Deletes messages about these streams that NATS keeps. Absent: there is no NATS. */
  nats?: ((streams: readonly string[], upTo: number) => Promise<NotErased[]>) | undefined
  /** Resolves when no data that was read before the erasure is still in memory on its way to a client. */
  readers: () => Promise<void>
  /** Listed as not erased in every erasure, because the server cannot reach it: backups, for example. */
  elsewhere: readonly NotErased[]
  /** Called after each step; tests end the process there. */
  reach: Reach
}

/** `wasBegun`: an earlier attempt did not come to its end. `leave`: stores which folders stay. */
export type Attempt = { wasBegun: boolean; leave: (left: readonly NotErased[]) => Promise<void> }

/** Thrown when another process, for example a backup, still reads the log, so that traces cannot be overwritten yet. */
export class HeldByReader extends Error {}

const sameThings = (some: readonly NotErased[], others: readonly NotErased[]): boolean =>
  some.map(({ what }) => what).join('\n') === others.map(({ what }) => what).join('\n')

/**
 * Rejects when a step has failed; a later attempt repeats all steps. If an attempt did not come to its end, it is
 * unknown which pages of the log it has changed. So the unused parts of all pages are overwritten.
 */
export const destroy = async (
  { log, rowsErased, files, forget, rewriteReadModels, nats, readers, elsewhere, reach }: Destroyers,
  { streams, positions, left }: Pick<StoredErasure, 'streams' | 'positions' | 'left'>,
  { wasBegun, leave }: Attempt,
): Promise<ErasureFinished['not_erased']> => {
  const done = (step: string): void => reach('during', 'erasure', step)
  forget(streams)
  await rowsErased()
  const shared = await files(streams, left)
  done('files')
  if (!sameThings(left, shared)) await leave(shared)
  done('left')
  const kept = (await nats?.(streams, positions.at(-1) ?? 0)) ?? []
  done('nats')
  let isGone = !wasBegun
  for (const position of positions) {
    isGone = (await log.destroy(position)) && isGone
    done('payloads')
  }
  await rewriteReadModels()
  done('read models')
  forget(streams) // the server may have read some of them again meanwhile
  await readers()
  done('readers')
  if (!isGone && !(await log.wipe()))
    throw new HeldByReader(
      'another process, such as a backup, reads log.db: traces of payloads can be overwritten when it has ended',
    )
  done('traces')
  return [...shared, ...kept, ...elsewhere]
}
