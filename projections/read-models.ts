// All read models on one store, moved by one projector.
import type { Report, Timers } from '../src/contract/ports.ts'
import type { Log } from '../src/contract/stored.ts'
import { envSessionsProjection } from './env-sessions.ts'
import { createProjector, type Projector } from './projector.ts'
import type { ReadStore } from './store.ts'
import { tasksProjection } from './tasks.ts'
import { tokensProjection } from './tokens.ts'

export const createReadModels = (store: ReadStore, log: Log, timers: Timers, report: Report): Projector => {
  const tasks = tasksProjection(
    store,
    stream => log.readStream(stream),
    () => projector.flush(),
  )
  const others = [tokensProjection(store), envSessionsProjection(store)]
  const projector = createProjector(store, log, [tasks, ...others], timers, report)
  return projector
}
