// Ends a system in order: no new work begins, and running work may finish. Then each part is closed before the parts
// that it needs.
import type { Projector } from '../../projections/projector.ts'
import type { ReadStore } from '../../projections/store.ts'
import type { createSessionSystem } from '../env-sessions/system.ts'
import type { Fairness } from '../fairness/fairness.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import type { EventLog } from '../log/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Proof } from '../proof/proof.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'

/** Milliseconds between two checks whether work still runs. */
const lookMs = 10

/** The state of the shutdown. */
export const createShutdown = () => {
  let draining = false
  let closed = false
  return {
    /** Whether no new work may begin. */
    isDraining: () => draining,
    isClosed: () => closed,
    /** Lets no new work begin. Resolves when `busy` returns 0, or after `ms` milliseconds. */
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
  principals: { stop(): void }
  cron: { stop(): void }
  tasks: Pick<Tasks, 'stop' | 'files'>
  webhooks: Pick<Webhooks, 'stop'>
  mcp: { close(): Promise<void> }
  environments: Pick<ReturnType<typeof createSessionSystem>, 'stop'>
  disk: Pick<Fairness['disk'], 'close'>
  checker: Pick<SchemaChecker, 'close'>
  log: Pick<EventLog, 'settled' | 'close'>
  proof: Pick<Proof, 'stop'> | undefined
  projector: Pick<Projector, 'flush'>
  store: Pick<ReadStore, 'close'>
  secrets: Pick<Secrets, 'close'>
}

/** Closes the parts that work first, then the files to which they write. */
export const closeInOrder = async (open: Open): Promise<void> => {
  const { log } = open
  await open.webhooks.stop()
  open.principals.stop()
  open.cron.stop()
  open.tasks.stop()
  await open.mcp.close()
  await open.environments.stop()
  await open.tasks.files.stop()
  await open.disk.close()
  await open.checker.close()
  await log.settled()
  await open.proof?.stop() // the last checkpoint covers the last event, so the log must still be open
  open.projector.flush() // this last write still reads from the log
  await log.close()
  await open.store.close()
  open.secrets.close()
}
