// All read models on one store, kept up to date by one projector.
import type { Report, Timers } from '../src/contract/ports.ts'
import type { Log } from '../src/contract/stored.ts'
import { cronProjection, jobEraser } from './cron/table.ts'
import { envSessionsProjection, sessionEraser } from './env-sessions/table.ts'
import { erasingProjection } from './erasing/table.ts'
import type { Projection } from './folding.ts'
import { createProjector, type Projector } from './projector.ts'
import { requestEraser, requestsProjection } from './requests/table.ts'
import type { ReadStore } from './store.ts'
import { taskEraser } from './tasks/erased.ts'
import { defaultLimits, type Limits } from './tasks/followed.ts'
import { tasksProjection } from './tasks/table.ts'
import { tokensProjection } from './tokens/table.ts'
import { webhookEraser, webhooksProjection } from './webhooks/table.ts'

export const createReadModels = (
  store: ReadStore,
  log: Log,
  timers: Timers,
  report: Report,
  limits: Limits = defaultLimits,
): Projector => {
  const projectionsOn = (tables: ReadStore): Projection[] => [
    tasksProjection(tables, log.streamPages, limits),
    tokensProjection(tables),
    envSessionsProjection(tables),
    webhooksProjection(tables),
    cronProjection(tables),
    requestsProjection(tables),
    erasingProjection(tables, [
      taskEraser(tables),
      sessionEraser(tables),
      webhookEraser(tables),
      jobEraser(tables),
      requestEraser(tables),
    ]),
  ]
  return createProjector(store, log, projectionsOn, timers, report)
}
