// Follows the shared log on a node which does not own it. When keys are missing, it waits for them. When the shared log
// is not the one that was read before, because its servers have lost records, it is read from the first record on.
import type { Report, Timers } from '../../contract/ports.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'
import { type Following, type SharedLog, type SharedRecord, UnfitRecord } from '../shared-log.ts'
import { Divergence, LacksKeys } from './errors.ts'
import type { Intake } from './intake.ts'

/** Milliseconds between two checks: does the owner lack events, and does the log still have the last record? */
const lookMs = 1000

/** After this many checks, a record that cannot be found counts as lost. One reading alone may be outdated. */
const looksUntilLost = 2

export type FollowingDeps = {
  shared: SharedLog
  intake: Intake
  keys: Pick<StreamKeys, 'stored'>
  timers: Timers
  report: Report
  /** Called with the error with which following ended. */
  failed: (error: unknown) => void
}

/**
 * Throws when the last claim stands at the end of the log, and the node that claimed has fewer events than this node.
 */
export const mustKnowNoMore = (intake: Pick<Intake, 'head' | 'at' | 'claim'>): void => {
  const claim = intake.claim()
  const known = Math.max(claim?.position ?? 0, intake.at().position)
  if (claim?.mark.sequence === intake.at().sequence && intake.head() > known)
    throw new Divergence(
      known + 1,
      `has events that ${claim.node}, which owns the shared log, does not have,`,
    )
}

export const startFollowing = ({
  shared,
  intake,
  keys,
  timers,
  report,
  failed,
}: FollowingDeps): Following => {
  let isStopped = false
  let hasRewound = false
  let missing = 0
  let release = () => {}
  const stopped = new Promise<void>(resolve => {
    release = resolve
  })
  let current: Following | undefined

  const take = async (records: SharedRecord[]): Promise<void> => {
    while (!isStopped) {
      const known = intake.at().sequence
      try {
        return await intake.take(records.filter(({ sequence }) => sequence > known))
      } catch (error) {
        if (!(error instanceof LacksKeys)) throw error
        report('info', 'this node waits for keys to read more of the shared log', { lacks: error.message })
        await Promise.race([keys.stored(), stopped])
      }
    }
  }
  const ended = (error: unknown): void => {
    if (isStopped) return
    const isOther = error instanceof UnfitRecord && error.isMisplaced && !hasRewound
    hasRewound ||= isOther
    if (isOther) intake.rewind().then(start, failed)
    else failed(error)
  }
  const start = (): void => {
    if (!isStopped) current = shared.follow(intake.at().sequence, take, ended)
  }
  /** Reads everything again, when the end was reached and the last record was missing in several checks. */
  const look = async (): Promise<void> => {
    if ((await shared.tail()) > intake.at().sequence) return
    mustKnowNoMore(intake)
    missing = (await intake.isSame()) ? 0 : missing + 1
    if (missing < looksUntilLost) return
    missing = 0
    await current?.stop()
    await intake.rewind()
    start()
  }
  const cancel = timers.every(lookMs, () => {
    look().catch(error => {
      if (isStopped || !(error instanceof Divergence)) return
      void stop()
      failed(error)
    })
  })
  const stop = async (): Promise<void> => {
    isStopped = true
    cancel()
    release()
    await current?.stop()
  }
  start()
  return { stop }
}
