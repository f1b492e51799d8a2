// Environment sessions put together: their actors and instances, their read model, and the door to them.
import { randomInt } from 'node:crypto'
import { envSessionKind } from '../actors/env-session/actor.ts'
import { createInstances, type Environments, type SessionFolders } from '../actors/env-session/instances.ts'
import { createRuntime } from '../actors/runtime.ts'
import type { Projector } from '../projections/projector.ts'
import type { ReadStore } from '../projections/store.ts'
import type { World } from './contract/ports.ts'
import type { SchemaChecker } from './json-schema/checker.ts'
import type { EventLog } from './log/log.ts'
import type { Quotas } from './quotas.ts'
import type { Secrets } from './secrets.ts'
import { createSessionQueries } from './session-queries.ts'
import { createSessions, type Resolved } from './sessions.ts'

const sweepMs = 300_000
const largestSeed = 2 ** 32 - 1

type Parts = {
  world: World
  log: EventLog
  store: ReadStore
  projector: Projector
  secrets: Secrets
  checker: SchemaChecker
  environments: Pick<Environments, 'open'> & {
    resolve(envId: string | undefined, classPath: string | undefined): Promise<Resolved>
  }
  folders: SessionFolders
  quotas: Quotas
  idleSeconds: number
  isNamed: (session: { id: string; userId: string }) => boolean
  onFault: (error: unknown) => void
}

export const createSessionSystem = (parts: Parts) => {
  const { world, log, secrets, environments, folders, onFault } = parts
  const { clock, timers, ids } = world
  const queries = createSessionQueries(parts.store, parts.projector)
  const instances = createInstances({
    environments,
    folders,
    log,
    timers,
    secrets: ref => secrets.get(ref),
  })
  const kind = envSessionKind({ clock, instances, forgetSecrets: ref => secrets.forget(ref) })
  const runtime = createRuntime(log, kind, timers, onFault)
  const sessions = createSessions({
    runtime,
    queries,
    environments,
    checker: parts.checker,
    log,
    secrets,
    quotas: parts.quotas,
    clock,
    ids,
    left: instances.left,
    randomSeed: () => randomInt(largestSeed),
    isNamed: parts.isNamed,
  })
  const system = { id: 'system', role: 'admin', userId: undefined, expiresAt: undefined } as const
  const sweep = () =>
    void sessions.cleanUp({ principal: system, requestId: 'idle' }, parts.idleSeconds).catch(onFault)
  const stopSweeping = timers.every(sweepMs, sweep)
  return {
    sessions,
    queries,
    busy: runtime.busy,
    /** What a stop has left over: sessions that cannot come back, and files of those that are none. */
    async start(): Promise<void> {
      await sessions.closeLost()
      const active = queries.active().map(({ id }) => id)
      await folders.clearOthers(active).catch(onFault)
    },
    async stop(): Promise<void> {
      stopSweeping()
      runtime.stop()
      await instances.stop()
    },
  }
}
