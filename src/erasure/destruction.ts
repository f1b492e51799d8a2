// Destroys everything of a stored erasure, in an order in which a crash loses nothing that is needed later: first what
// the payloads name, at last the payloads. Each step may be repeated.
import type { ErasureFinished, NotErased } from '../contract/erasure-events.ts'
import type { Log } from '../contract/stored.ts'
import type { Reach } from '../contract/tools.ts'
import type { EventLog } from '../log/log.ts'
import type { StoredErasure } from './stored-erasures.ts'

export type Destroyers = {
  log: Pick<EventLog, 'destroy' | 'wipe' | 'head'> & Pick<Log, 'append' | 'revisionOf'>
  /** Removes files and secrets. `earlier`: what earlier attempts have left. Resolves to what others still need. */
  files: (streams: readonly string[], earlier: readonly NotErased[]) => Promise<NotErased[]>
  /** Drops what parts of the server keep in memory of these streams. */
  forget: (streams: readonly string[]) => void
  /** Writes the file of the read models anew, without the free space that has what was there. */
  rewriteReadModels: () => Promise<void>
  /** Deletes messages about these streams that NATS keeps. Absent: there is no NATS. */
  nats?: ((streams: readonly string[], upTo: number) => Promise<NotErased[]>) | undefined
  /** Resolves when nothing that was read before waits in memory for a reader. */
  readers: () => Promise<void>
  /** What is told of every erasure, because the server cannot reach it. */
  elsewhere: readonly NotErased[]
  /** Called after each step; tests end the process there. */
  reach: Reach
}

/** `wasBegun`: an earlier attempt did not come to its end. `leave`: stores what others still need. */
export type Attempt = { wasBegun: boolean; leave: (left: readonly NotErased[]) => Promise<void> }

/** A reader, for example a backup, still needs what is to be destroyed. */
export class HeldByReader extends Error {}

const sameThings = (some: readonly NotErased[], others: readonly NotErased[]): boolean =>
  some.map(({ what }) => what).join('\n') === others.map(({ what }) => what).join('\n')

/**
 * Rejects when a step has failed; then it is repeated later. After an attempt that did not come to its end, nobody knows
 * any more which pages of the log it has changed, and all of them are wiped.
 */
export const destroy = async (
  { log, files, forget, rewriteReadModels, nats, readers, elsewhere, reach }: Destroyers,
  { streams, positions, left }: Pick<StoredErasure, 'streams' | 'positions' | 'left'>,
  { wasBegun, leave }: Attempt,
): Promise<ErasureFinished['not_erased']> => {
  const done = (step: string): void => reach('during', 'erasure', step)
  forget(streams)
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
  forget(streams) // what was read meanwhile
  await readers()
  done('readers')
  if (!isGone && !(await log.wipe()))
    throw new HeldByReader(
      'another process reads log.db, for example a backup: the traces go when it is done',
    )
  done('traces')
  return [...shared, ...kept, ...elsewhere]
}
