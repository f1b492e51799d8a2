// Opens the log of a data folder, compares it with its newest checkpoint, and begins to sign checkpoints.
import type { Config } from '../../config.ts'
import type { Report, World } from '../../contract/ports.ts'
import type { Store } from '../../log/store.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { createProof } from '../../proof/proof.ts'
import { acceptLog } from './checked-anchor.ts'
import { lostLogOf, mustHaveItsLog, openCountedLog } from './open-log.ts'
import { acceptNewLog } from './resumed-log.ts'

type Options = {
  world: World
  metrics: Metrics
  acceptLoss: boolean
  /** Whether this process resumes no tasks. Then it signs a checkpoint only in place of an outdated one. */
  idle: boolean
  /** Where the events are stored. Undefined: in the file of the data folder. */
  store: Store | undefined
  /** Called when a new audit key is in its file, before the log names this key. */
  keyMade: (() => void) | undefined
  report: Report
}

/** Rejects with CannotStart. */
export const openProvenLog = async (
  { dataDir, proof: settings }: Config,
  { world, metrics, acceptLoss, idle, store, keyMade, report }: Options,
) => {
  const files = filesOf(dataDir)
  const lost = store === undefined ? lostLogOf(files) : undefined
  if (lost !== undefined && !acceptLoss) mustHaveItsLog(files, lost)
  const log = openCountedLog({ world, files, metrics: metrics.log, store, report })
  try {
    const anchor = await acceptLog({ dataDir, files, settings, log, acceptLoss, report })
    if (lost !== undefined) await acceptNewLog(log, lost, report)
    log.onCommit(metrics.events.follow)
    const { clock, timers } = world
    const agreed = anchor === 'outdated' ? undefined : anchor
    const proof = createProof({ log, settings, files, anchor: agreed, clock, timers, report, keyMade })
    if (!idle) await proof.start()
    // Otherwise the next start would compare the log with the outdated checkpoint again.
    if (anchor === 'outdated') await proof.checkpointer.signNow()
    return { log, proof }
  } catch (error) {
    await log.close()
    throw error
  }
}
