// The read models of a node that only follows. They are kept current, so that the node can take over within a moment.
import { openReadStore } from '../../projections/store.ts'
import type { Report, World } from '../contract/ports.ts'
import { openLog } from '../log/log.ts'
import type { Store } from '../log/store.ts'
import { openReadModels } from '../maintenance/open-read-models.ts'
import { build } from '../platform/version.ts'

type Deps = {
  /** The copy of the log, to which somebody else writes. It stays open. */
  store: Store
  /** The file of the read models. */
  file: string
  world: World
  report: Report
}

export const openCopy = async ({ store, file, world, report }: Deps) => {
  const { clock, random, timers } = world
  const log = openLog(store, { clock, random, build })
  const models = await openReadModels({ log, openStore: anew => openReadStore(file, anew), timers, report })
  const { projector } = models
  let reading: Promise<void> | undefined
  let isAsked = false
  let isClosed = false

  const readOn = async (): Promise<void> => {
    while (isAsked && !isClosed) {
      isAsked = false
      log.readOn()
      await projector.catchUp()
    }
  }
  return {
    /** Reads the rows that were added to the store. Resolves when the read models have them. Never rejects. */
    follow(): Promise<void> {
      isAsked = true
      reading ??= readOn()
        .catch(error => report('warn', 'the read models do not follow the log', { error: String(error) }))
        .finally(() => {
          reading = undefined
        })
      return reading
    },
    /** Writes the file of the read models anew, without traces of what was erased. */
    rewrite: async (): Promise<void> => {
      await reading
      await projector.rewrite()
    },
    /** By how many positions the read models are behind the copy of the log. */
    lag: (): number => (store.last()?.position ?? 0) - projector.reached(),
    async close(): Promise<void> {
      isClosed = true
      await reading
      projector.flush()
      await models.store.close()
    },
  }
}
export type Copy = Awaited<ReturnType<typeof openCopy>>
