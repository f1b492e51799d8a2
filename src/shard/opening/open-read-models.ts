// Opens the read models and brings them up to the last event of the log. Read models that cannot be used are rebuilt.
import { misfitOf } from '../../../projections/projector.ts'
import { createReadModels } from '../../../projections/read-models.ts'
import type { ReadStore } from '../../../projections/store.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import type { Report, Timers } from '../../contract/ports.ts'
import { DamagedEvent } from '../../contract/stored.ts'
import { createCronQueries } from '../../cron/queries.ts'
import { createSessionQueries } from '../../env-sessions/queries.ts'
import type { EventLog } from '../../log/log.ts'
import { createQueries } from '../../tasks/queries.ts'
import { createWebhookQueries } from '../../webhooks/queries.ts'

type Deps = {
  log: EventLog
  /** Opens the file of the read models. `anew`: removes the old file first. */
  openStore: (anew: boolean) => ReadStore
  timers: Timers
  report: Report
}

const openOnce = async ({ log, openStore, timers, report }: Deps, anew: boolean) => {
  const store = openStore(anew)
  try {
    const misfit = misfitOf(store, log)
    if (misfit !== undefined) throw new Error(misfit)
    const projector = createReadModels(store, log, timers, report)
    await projector.catchUp()
    // Reads everything that the start needs, so that damage is found while the read models can still be rebuilt.
    const direct = { ...projector, reading: <T>(ask: () => T): T => ask() }
    const tasks = createQueries(store, direct, log)
    tasks.unfinished()
    tasks.tokens()
    createSessionQueries(store, direct).active()
    createWebhookQueries(store, direct).there()
    const cron = createCronQueries(store, direct)
    for (const read of [cron.due, cron.open, cron.byMaker, cron.secretRefs]) read()
    return { store, projector }
  } catch (error) {
    await store.close()
    throw error
  }
}

/**
 * Opens the read models. When that fails, they are rebuilt, since the log holds everything. Rejects with CannotStart.
 */
export const openReadModels = (deps: Deps) =>
  openOnce(deps, false).catch(error => {
    if (error instanceof CannotStart) throw error
    if (error instanceof DamagedEvent)
      throw new CannotStart(`log.db is damaged: ${error.message}; restore it from a backup`)
    const why = error instanceof Error ? error.message : String(error)
    deps.report('warn', `the read models are rebuilt: ${why}`)
    return openOnce(deps, true)
  })
