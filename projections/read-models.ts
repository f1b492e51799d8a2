// All read models on one store, kept up to date by one projector.
import type { Report, Timers } from '../src/contract/ports.ts'
import type { Log } from '../src/contract/stored.ts'
import { cronProjection } from './cron/table.ts'
import { envSessionsProjection } from './env-sessions/table.ts'
import { createProjector, type Projector } from './projector.ts'
import type { ReadStore } from './store.ts'
import { defaultLimits, type Limits } from './tasks/followed.ts'
import { tasksProjection } from './tasks/table.ts'
import { tokensProjection } from './tokens/table.ts'
import { webhooksProjection } from './webhooks/table.ts'

export const createReadModels = (
  store: ReadStore,
  log: Log,
  timers: Timers,
  report: Report,
  limits: Limits = defaultLimits,
): Projector => {
  const tasks = tasksProjection(store, log.streamPages, limits)
  const projections = [
    tasks,
    tokensProjection(store),
    envSessionsProjection(store),
    webhooksProjection(store),
    cronProjection(store),
  ]
  return createProjector(store, log, projections, timers, report)
}
