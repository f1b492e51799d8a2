// Keeps the read models of a node that only follows current, so that the node can take over within a moment.
import { openReadStore } from '../../projections/store.ts'
import type { Roots } from '../access/user-folders.ts'
import { removeListed } from '../agent-hosts/listed.ts'
import type { Conditions } from '../cluster/conditions.ts'
import type { Report, World } from '../contract/ports.ts'
import { createSessionFolders } from '../env-sessions/folders.ts'
import { createErasedFiles } from '../erasure/files.ts'
import { openLog } from '../log/log.ts'
import type { Store } from '../log/store.ts'
import type { Secrets } from '../platform/secrets.ts'
import { build } from '../platform/version.ts'
import { openReadModels } from '../shard/opening/open-read-models.ts'
import { createQueries } from '../tasks/queries.ts'
import { createTraceRemoval } from './traces.ts'

/**
 * What erasures remove on this node, in addition to payloads. `listed`: the file with the agents of workers, which only the owner
 * keeps, since workers connect to the owner.
 */
export type CopiedFiles = {
  roots: Roots
  sessionsRoot: string
  secrets: Pick<Secrets, 'forget'>
  listed: string
}

type Deps = {
  /** The copy of the log, to which the replica writes. It stays open. */
  store: Store
  /** The file of the read models. */
  file: string
  erasable: CopiedFiles
  conditions: Pick<Conditions, 'begin' | 'end'>
  world: World
  report: Report
}

export const openCopy = async ({ store, file, erasable, conditions, world, report }: Deps) => {
  const { clock, random, timers } = world
  // An erasure at the owner would not reach this list of the time when this node was the owner.
  await removeListed(erasable.listed)
  const log = openLog(store, { clock, random, build })
  const models = await openReadModels({ log, openStore: anew => openReadStore(file, anew), timers, report })
  const { projector } = models
  const files = createErasedFiles({
    log,
    rows: createQueries(models.store, projector, log).erasable,
    roots: erasable.roots,
    folders: createSessionFolders(erasable.sessionsRoot),
    secrets: erasable.secrets,
    saved: { atRest: async () => {} }, // a node that only follows writes no files of rollouts or logs
  })
  const traces = createTraceRemoval({ models: projector, timers, report })
  let reading: Promise<void> | undefined
  let isAsked = false
  let isClosed = false

  const readOn = async (): Promise<void> => {
    while (isAsked && !isClosed) {
      isAsked = false
      log.readOn()
      await projector.catchUp()
    }
    conditions.end('read-models-fail')
    traces.remove()
  }
  const failed = (error: unknown): void =>
    conditions.begin(
      'read-models-fail',
      `the read models of this standby do not follow the log (${String(error)}): look whether its disk is full or damaged`,
    )
  /** Reads the rows that were added to the store. Resolves when the read models have them. Never rejects. */
  const follow = (): Promise<void> => {
    isAsked = true
    reading ??= readOn()
      .catch(failed)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  return {
    follow,
    /** Removes the files of streams whose payloads are about to be destroyed. */
    async eraseFiles(streams: readonly string[]): Promise<void> {
      await follow() // after this, the rows of earlier erased tasks have no content
      await files.remove(streams)
      files.forget()
    },
    /** By how many positions the read models are behind the copy of the log. */
    lag: (): number => (store.last()?.position ?? 0) - projector.reached(),
    async close(): Promise<void> {
      isClosed = true
      traces.end()
      await reading
      conditions.end('read-models-fail')
      projector.flush()
      await models.store.close()
    },
  }
}
export type Copy = Awaited<ReturnType<typeof openCopy>>
