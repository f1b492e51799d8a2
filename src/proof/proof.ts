// Assembles the parts that prove the log: its key, its tree, its signed checkpoints, and the couriers to witnesses.
import { CannotStart } from '../contract/cannot-start.ts'
import type { Clock, Report, Timers } from '../contract/ports.ts'
import { DamagedEvent } from '../contract/stored.ts'
import type { EventLog } from '../log/log.ts'
import { tilesAt } from './anchor-check.ts'
import { type Anchor, newestAnchor } from './anchors.ts'
import { createCheckpointer } from './checkpointer.ts'
import { keyFile } from './keys/key-file.ts'
import { keysOf } from './keys/key-history.ts'
import { createLogKey } from './keys/log-key.ts'
import { originOf } from './note/checkpoint.ts'
import type { ProofSettings } from './settings.ts'
import { createSigner } from './signer.ts'
import type { TreeFiles } from './store/keeper.ts'
import { createTree } from './store/tree.ts'
import { createWitnesses } from './witness/witnesses.ts'

const readAnchor: typeof newestAnchor = (file, ...of) => {
  try {
    return newestAnchor(file, ...of)
  } catch (error) {
    throw new CannotStart(
      `the file of checkpoints ${file} cannot be read (${(error as Error).message}): make it a file that the server may read and write, or set another CHECKPOINT_FILE`,
    )
  }
}

/** The newest stored checkpoint that a key of this log has signed, or undefined. Rejects with CannotStart. */
export const anchorOf = async (
  { keyFile: file, checkpointFile }: ProofSettings,
  log: Pick<EventLog, 'id' | 'readStream'>,
  report: Report,
): Promise<Anchor | undefined> => {
  const origin = originOf(log.id)
  const own = keyFile(file, origin).key()?.verifier
  const known = await keysOf(log).catch(error => {
    if (error instanceof DamagedEvent) return []
    throw error
  })
  const keys = [...known.map(({ key }) => key), ...(own === undefined ? [] : [own])]
  const anchor = readAnchor(checkpointFile, origin, keys)
  if (anchor !== 'unreadable') return anchor
  report(
    'warn',
    'the file of checkpoints has no checkpoint that a key of this log signed, so the log was not compared',
    {
      file: checkpointFile,
    },
  )
  return undefined
}

type Deps = {
  log: EventLog
  settings: ProofSettings
  files: TreeFiles
  /** The newest checkpoint of an earlier run. The log agrees with it. */
  anchor: Anchor | undefined
  clock: Clock
  timers: Timers
  report: Report
  /** Called when a new key is in its file, before the log names this key. */
  keyMade?: (() => void) | undefined
}

export const createProof = ({ log, settings, files, anchor, clock, timers, report, keyMade }: Deps) => {
  const origin = originOf(log.id)
  const key = createLogKey({ log, file: keyFile(settings.keyFile, origin, keyMade), report })
  const tree = createTree({ files, trusted: tilesAt(anchor?.size ?? 0) })
  const { checkpointFile: file } = settings
  const newest = anchor && { size: anchor.size, root: anchor.root, text: anchor.text }
  const signer = createSigner({ log, origin, key, tree, file, newest })
  const checkpointer = createCheckpointer({ signer, log, clock, timers, report })
  const witnesses = createWitnesses({ urls: settings.witnesses, signer, tree, timers, report })
  return {
    tree,
    key,
    checkpointer,
    signer,
    /** For metrics. */
    counts: () => ({
      size: signer.newest()?.size ?? 0,
      lag: log.head() - (signer.newest()?.size ?? 0),
      witnesses: witnesses.counts().map(({ witness, signed }) => ({ witness, lag: log.head() - signed })),
    }),
    /** Stores the event that names the key, and begins to sign. When the log cannot be written, tries again later. */
    async start(): Promise<void> {
      await key.ready().catch(error =>
        report('error', 'the log does not name its audit key yet; the server tries again', {
          error: error instanceof Error ? error.message : String(error),
        }),
      )
      checkpointer.start()
      if (newest !== undefined) witnesses.begin(newest)
    },
    async stop(): Promise<void> {
      await checkpointer.stop()
      await witnesses.stop()
      await tree.close()
    },
  }
}
export type Proof = ReturnType<typeof createProof>
