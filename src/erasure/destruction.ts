// Destroys everything of a stored erasure, in an order in which a crash loses nothing that is needed later: first what
// the payloads name, at last the payloads. Each step may be repeated.
import type { ErasureFinished, NotErased } from '../contract/erasure-events.ts'
import type { Log } from '../contract/stored.ts'
import type { EventLog } from '../log/log.ts'
import type { StoredErasure } from './stored-erasures.ts'

export type Destroyers = {
  log: Pick<EventLog, 'destroy' | 'wipe' | 'head'> & Pick<Log, 'append' | 'revisionOf'>
  /** Removes files and secrets. Resolves to what others still need. */
  files: (streams: readonly string[]) => Promise<NotErased[]>
  /** Drops what parts of the server keep in memory of these streams. */
  forget: (streams: readonly string[]) => void
  /** Writes the file of the read models anew, without the free space that has what was there. */
  rewriteReadModels: () => Promise<void>
  /** Deletes messages about these streams that NATS keeps. Absent: there is no NATS. */
  nats?: ((streams: readonly string[], upTo: number) => Promise<NotErased[]>) | undefined
  /** What is told of every erasure, because the server cannot reach it. */
  elsewhere: readonly NotErased[]
}

/** A reader, for example a backup, still needs what is to be destroyed. */
export class HeldByReader extends Error {}

/**
 * Rejects when a step has failed; then it is repeated later. `wasBegun`: an earlier attempt did not come to its end, so
 * nobody knows any more which pages of the log it has changed, and all of them are wiped.
 */
export const destroy = async (
  { log, files, forget, rewriteReadModels, nats, elsewhere }: Destroyers,
  { streams, positions }: Pick<StoredErasure, 'streams' | 'positions'>,
  wasBegun: boolean,
): Promise<ErasureFinished['not_erased']> => {
  forget(streams)
  const shared = await files(streams)
  const kept = (await nats?.(streams, positions.at(-1) ?? 0)) ?? []
  let isGone = !wasBegun
  for (const position of positions) isGone = (await log.destroy(position)) && isGone
  await rewriteReadModels()
  forget(streams) // what was read meanwhile
  if (!isGone && !(await log.wipe()))
    throw new HeldByReader(
      'another process reads log.db, for example a backup: the traces go when it is done',
    )
  return [...shared, ...kept, ...elsewhere]
}
