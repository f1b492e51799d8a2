// Destroys everything that stored erasures cover: files and secrets first, because only the payloads name them, then
// messages in NATS, the payloads, and at last copies in read models, in memory and in the files of the log. So a crash
// loses nothing that a later attempt needs. Each step may be repeated.
import type { NotErased } from '../contract/events/erasure-events.ts'
import type { Log } from '../contract/stored.ts'
import type { Reach } from '../contract/tools.ts'
import type { EventLog } from '../log/log.ts'
import type { StoredErasure } from './stored-erasures.ts'

export type Destroyers = {
  log: Pick<EventLog, 'noteErasure' | 'destroy' | 'wipe' | 'head'> & Pick<Log, 'append' | 'revisionOf'>
  /** Resolves when the read models have marked the streams of all stored erasures as erased. */
  rowsErased: () => Promise<void>
  /** Removes files and secrets. Resolves to the folders left for other tasks. `earlier`: those of earlier attempts. */
  files: {
    remove: (streams: readonly string[], earlier: readonly NotErased[]) => Promise<NotErased[]>
    /** Drops what it keeps in memory for erasures that come right after each other. */
    forget: () => void
  }
  /** Forgets what is kept about a user outside of the log. Absent: nothing is. */
  forgetUser?: ((user: string) => Promise<void>) | undefined
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

/** Thrown when another process, for example a backup, still reads the log, so that traces cannot be overwritten yet. */
export class HeldByReader extends Error {}

const sameThings = (some: readonly NotErased[], others: readonly NotErased[]): boolean =>
  some.map(({ what }) => what).join('\n') === others.map(({ what }) => what).join('\n')

type Erasure = Pick<StoredErasure, 'streams' | 'positions' | 'left' | 'subject'>

const stepsOf =
  ({ reach }: Destroyers) =>
  (step: string): void =>
    reach('during', 'erasure', step)

/**
 * Destroys what one erasure covers, except copies that an erasure must look for everywhere. Resolves to what stays.
 * `leave`: stores which folders stay. Rejects when a step has failed; a later attempt repeats all steps.
 */
export const destroyOwn = async (
  destroyers: Destroyers,
  { streams, positions, left, subject }: Erasure,
  leave: (left: readonly NotErased[]) => Promise<void>,
): Promise<NotErased[]> => {
  const { log, rowsErased, files, forget, forgetUser, nats, elsewhere } = destroyers
  const done = stepsOf(destroyers)
  for (const position of positions) await log.noteErasure(position)
  forget(streams)
  await rowsErased()
  const shared = await files.remove(streams, left)
  if (subject.kind === 'user') await forgetUser?.(subject.id)
  done('files')
  if (!sameThings(left, shared)) await leave(shared)
  done('left')
  const kept = (await nats?.(streams, positions.at(-1) ?? 0)) ?? []
  done('nats')
  for (const position of positions) {
    await log.destroy(position)
    done('payloads')
  }
  return [...shared, ...kept, ...elsewhere]
}

/**
 * Destroys copies of what these erasures cover, wherever the server may have some. However many erasures there are, it
 * looks once. `isUnsure`: an earlier attempt did not come to its end. Then it is unknown which pages of the log have
 * changed, and the unused parts of all pages are overwritten.
 */
export const destroyCopies = async (
  destroyers: Destroyers,
  erasures: readonly Erasure[],
  isUnsure: boolean,
): Promise<void> => {
  const { log, files, forget, rewriteReadModels, readers } = destroyers
  const done = stepsOf(destroyers)
  files.forget()
  await rewriteReadModels()
  done('read models')
  for (const { streams } of erasures) forget(streams) // the server may have read some of them again meanwhile
  await readers()
  done('readers')
  if (!(await log.wipe(isUnsure)))
    throw new HeldByReader(
      'another process, such as a backup, reads log.db: traces of payloads can be overwritten when it has ended',
    )
  done('traces')
}
