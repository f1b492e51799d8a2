// Wires environment sessions together: actors and instances, read model, command and query service.
import { randomInt } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import { envSessionKind } from '../../actors/env-session/actor.ts'
import { createCallers } from '../../actors/env-session/callers.ts'
import { createInstances } from '../../actors/env-session/instances.ts'
import type { Given, SessionFolders } from '../../actors/env-session/ports.ts'
import type { Inspect } from '../../actors/runtime/logic.ts'
import { createRuntime } from '../../actors/runtime/runtime.ts'
import type { Projector } from '../../projections/projector.ts'
import type { ReadStore } from '../../projections/store.ts'
import type { EnvironmentSource, Instance } from '../contract/environment.ts'
import type { Report, World } from '../contract/ports.ts'
import type { DiskUse } from '../fairness/disk/disk-use.ts'
import { createPlaces } from '../fairness/places.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import type { EventLog } from '../log/log.ts'
import type { Once } from '../once/once.ts'
import type { Secrets } from '../platform/secrets.ts'
import { createTroubles } from '../platform/troubles.ts'
import { createSessions } from './commands.ts'
import type { Resolved } from './deps.ts'
import { createSessionQueries } from './queries.ts'
import { createSessionTools } from './tools.ts'

/** Milliseconds between two searches for sessions that were not used for a while. */
const sweepMs = 300_000
/**
 * The limits for instances that are opened at the same time, in all and for one user. Each instance is a new process,
 * which occupies a processor while it starts. Further instances wait, so that a hundred creates at once do not slow
 * down other requests.
 */
const places = Math.max(4, availableParallelism())
const opening = { places, perUser: Math.floor(places / 2) }
/** Drawn seeds are whole numbers from 0 to this one. */
const largestSeed = 2 ** 32 - 1

type Deps = {
  world: World
  log: EventLog
  store: ReadStore
  projector: Projector
  secrets: Secrets
  checker: SchemaChecker
  environments: {
    open(source: EnvironmentSource, opening: Given): Promise<Instance>
    resolve(envId: string | undefined, classPath: string | undefined): Promise<Resolved>
  }
  folders: SessionFolders
  quotas: Quotas
  once: Once
  disk: Pick<DiskUse, 'mustHaveRoom' | 'watch' | 'changed' | 'longestFile'>
  idleSeconds: number
  isNamed: (session: { id: string; userId: string }) => boolean
  inspect?: Inspect | undefined
  report: Report
  onFault: (error: unknown) => void
}

export const createSessionSystem = (deps: Deps) => {
  const { world, log, secrets, environments, folders, onFault } = deps
  const { clock, timers, ids } = world
  const queries = createSessionQueries(deps.store, deps.projector)
  const openings = createPlaces(opening)
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // each waiting instance has a listener
  const instances = createInstances({
    environments: {
      resolve: environments.resolve,
      open: (source, opening, user) =>
        openings.hold(user, () => environments.open(source, opening), stopping.signal),
    },
    folders,
    longestFile: deps.disk.longestFile,
    log,
    timers,
    secrets: ref => secrets.get(ref),
    troubles: createTroubles(deps.report, {
      begins: 'a session does not come back for now: each request to it tries again',
      ends: 'the session is back',
    }),
  })
  const callers = createCallers()
  const kind = envSessionKind({
    clock,
    instances,
    callers,
    putSecrets: (ref, values) => secrets.put(ref, values),
    forgetSecrets: ref => secrets.forget(ref),
  })
  const runtime = createRuntime({ log, kind, timers, onFault, inspect: deps.inspect })
  const sessions = createSessions({
    runtime,
    callers,
    queries,
    environments,
    checker: deps.checker,
    log,
    secrets,
    quotas: deps.quotas,
    once: deps.once,
    disk: deps.disk,
    folders,
    clock,
    ids,
    removed: instances.removed,
    randomSeed: () => randomInt(largestSeed + 1),
    isNamed: deps.isNamed,
  })
  const system = { id: 'system', role: 'admin', userId: undefined, expiresAt: undefined } as const
  const sweep = () =>
    void sessions.cleanUp({ principal: system, requestId: 'idle' }, deps.idleSeconds).catch(onFault)
  const stopSweeping = timers.every(sweepMs, sweep)
  return {
    sessions,
    queries,
    /** The tools of the environment session that a task names. */
    tools: createSessionTools(sessions),
    busy: runtime.busy,
    /**
     * Cleans up after the last stop: closes sessions that cannot be restored, and removes the files of sessions that
     * have ended.
     */
    async start(): Promise<void> {
      await sessions.closeLost()
      const active = queries.active().map(({ id, user_id }) => ({ session_id: id, user_id }))
      await folders.clearOthers(active).catch(onFault)
    },
    async stop(): Promise<void> {
      stopSweeping()
      runtime.stop()
      const stopped = instances.stop()
      stopping.abort() // ends the waiting for a turn
      await stopped
    },
  }
}
