// Compares a log with the newest checkpoint that was signed over it, before the server changes anything.
import type { Config } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import type { Report } from '../../contract/ports.ts'
import { DamagedEvent } from '../../contract/stored.ts'
import type { EventLog } from '../../log/log.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { realWorld } from '../../platform/world.ts'
import { rootOfLog } from '../../proof/anchor-check.ts'
import type { Anchor } from '../../proof/anchors.ts'
import { NotProven } from '../../proof/not-proven.ts'
import { anchorOf, createProof } from '../../proof/proof.ts'
import type { ProofSettings } from '../../proof/settings.ts'
import type { TreeFiles } from '../../proof/store/keeper.ts'
import { toBase64 } from '../../proof/tree/hash.ts'
import { acceptShorterLog, type Known, resume } from './resumed-log.ts'

const knownBy = ({ checkpointFile }: ProofSettings, anchor: Anchor | undefined): Known => ({
  position: anchor?.size ?? 0,
  by: checkpointFile,
})

/** The number of events that the newest checkpoint of a log covers, and its file. Rejects with CannotStart. */
export const knownToAnchor = async (settings: ProofSettings, log: EventLog, report: Report): Promise<Known> =>
  knownBy(settings, await anchorOf(settings, log, report))

type Deps = {
  dataDir: string
  files: TreeFiles
  settings: ProofSettings
  log: EventLog
  acceptLoss: boolean
  report: Report
}

/** Says in words which root the log has in place of the checkpoint's root; undefined: both roots are the same. */
const otherRoot = (files: TreeFiles, { size, root: expected }: Anchor): string | undefined => {
  try {
    const root = rootOfLog(files, size, expected)
    return root === expected ? undefined : `the root ${toBase64(root)}`
  } catch (error) {
    if (error instanceof NotProven || error instanceof DamagedEvent) return `no root (${error.message})`
    throw error
  }
}

/**
 * Resolves to the newest checkpoint, if there is one and the log agrees with it. When the log has fewer events than
 * other files know, or another root than the checkpoint, rejects with CannotStart. But with `acceptLoss`, resolves to
 * `outdated` in these cases if there is a checkpoint: the log then needs a new one.
 */
export const acceptLog = async (deps: Deps): Promise<Anchor | 'outdated' | undefined> => {
  const { dataDir, files, settings, log, acceptLoss, report } = deps
  const anchor = await anchorOf(settings, log, report)
  const known = knownBy(settings, anchor)
  const isShorter = await acceptShorterLog(dataDir, log, { acceptLoss, anchor: known, report })
  if (anchor === undefined) return undefined
  if (isShorter) return 'outdated'
  const other = otherRoot(files, anchor)
  if (other === undefined) return anchor
  if (!acceptLoss)
    throw new CannotStart(
      `${files.log} is not the log of its newest checkpoint in ${settings.checkpointFile}: its first ${anchor.size} events have ${other}, and the checkpoint has ${toBase64(anchor.root)}, so events were changed or replaced; put a backup in place of the log (reprise restore FILE --force), or go on with this log (reprise serve --accept-loss)`,
    )
  await resume(log, anchor.size, 'loss_accepted')
  report(
    'warn',
    'the log goes on although its newest checkpoint has another root, as the option --accept-loss allows',
    {
      size: anchor.size,
    },
  )
  return 'outdated'
}

/**
 * Signs a new checkpoint of a restored log, if the file of checkpoints already has one of this log. So the newest
 * checkpoint in the file agrees with the restored log. Rejects with CannotStart.
 */
export const signRestored = async (
  { dataDir, proof: settings }: Pick<Config, 'dataDir' | 'proof'>,
  log: EventLog,
  report: Report,
): Promise<void> => {
  if ((await anchorOf(settings, log, report)) === undefined) return
  const { clock, timers } = realWorld()
  const files = filesOf(dataDir)
  const proof = createProof({ log, settings, files, anchor: undefined, clock, timers, report })
  await proof.signer.sign().finally(() => proof.stop())
}
