// How a system ends: no work begins any more, what works may finish, then everything is closed, each part before those
// that it needs.
import type { Projector } from '../../projections/projector.ts'
import type { ReadStore } from '../../projections/store.ts'
import type { createSessionSystem } from '../env-sessions/system.ts'
import type { Fairness } from '../fairness/fairness.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import type { EventLog } from '../log/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Tasks } from '../tasks/tasks.ts'

const lookMs = 10

/** How far the end has come. */
export const createShutdown = () => {
  let draining = false
  let closed = false
  return {
    /** No work may begin any more. */
    isDraining: () => draining,
    isClosed: () => closed,
    /** Lets no work begin any more; resolves when nothing is busy, or after `ms`. */
    async drain(busy: () => number, ms: number): Promise<void> {
      draining = true
      const until = Date.now() + ms
      while (busy() > 0 && Date.now() < until) await new Promise(resolve => setTimeout(resolve, lookMs))
    },
    close(): void {
      draining = true
      closed = true
    },
  }
}

type Open = {
  tasks: Pick<Tasks, 'stop' | 'files'>
  mcp: { close(): Promise<void> }
  environments: Pick<ReturnType<typeof createSessionSystem>, 'stop'>
  disk: Pick<Fairness['disk'], 'close'>
  checker: Pick<SchemaChecker, 'close'>
  log: Pick<EventLog, 'settled' | 'close'>
  projector: Pick<Projector, 'flush'>
  store: Pick<ReadStore, 'close'>
  secrets: Pick<Secrets, 'close'>
}

/** Those that work first, those that are written to last. */
export const closeInOrder = async (open: Open): Promise<void> => {
  const { log } = open
  open.tasks.stop()
  await open.mcp.close()
  await open.environments.stop()
  await open.tasks.files.stop()
  await open.disk.close()
  await open.checker.close()
  await log.settled()
  open.projector.flush() // what it writes down last it still reads from the log
  await log.close()
  open.store.close()
  open.secrets.close()
}
