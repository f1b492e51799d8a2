// Sessions without tasks, on a log in memory: their own wiring, with schemas checked on this thread, so that a system
// starts at once and a seed reproduces what it does.

import { createReadModels } from '../../../projections/read-models.ts'
import { openReadStore } from '../../../projections/store.ts'
import type { Recorded } from '../../../src/contract/stored.ts'
import { createSessionFolders } from '../../../src/env-sessions/folders.ts'
import { createSessionSystem } from '../../../src/env-sessions/system.ts'
import { createQuotas, noQuotas } from '../../../src/fairness/quotas.ts'
import { trusted } from '../../../src/json-schema/checker.ts'
import { openLog } from '../../../src/log/log.ts'
import { memoryStore } from '../../../src/log/memory-store.ts'
import type { Store } from '../../../src/log/store.ts'
import { createOnce } from '../../../src/once/once.ts'
import type { Secrets } from '../../../src/platform/secrets.ts'
import type { SystemDeps } from '../../../src/shard/system.ts'
import { memorySecrets, rowsOf, storeOf } from '../../support/system.ts'
import { type TestWorld, testWorld } from '../../support/world.ts'

const checker = {
  problemsOf: async () => [],
  check: async (schema: unknown, value: unknown) => trusted(schema as object)(value),
  close: async () => {},
}

export type SessionOptions = {
  environments: SystemDeps['environments']
  workspaceRoot: string
  world?: TestWorld
  store?: Store
  secrets?: Secrets
  inspect?: SystemDeps['inspect']
  report?: SystemDeps['report']
  /** Told of what is no caller's. */
  onFault?: (error: unknown) => void
}

export const givenSessions = async (options: SessionOptions) => {
  const { world = testWorld(), store = memoryStore(), secrets = memorySecrets() } = options
  let isClosed = false
  let closed = false
  const write: Store['write'] = batch =>
    closed ? Promise.reject(new Error('the store is closed')) : store.write(batch)
  const log = openLog(
    { ...store, write, close: async () => {} },
    {
      clock: world.clock,
      random: world.random,
      build: 'test',
    },
  )
  const readStore = openReadStore(':memory:', false)
  const report = options.report ?? (() => {})
  const projector = createReadModels(readStore, log, world.timers, report)
  await projector.catchUp()
  log.onCommit(projector.follow)
  log.onReopened(() => projector.catchUp())
  const stopRetrying = world.timers.every(1000, () => {
    if (log.isFailing()) log.retry().catch(() => {})
  })
  const environments = createSessionSystem({
    world,
    log,
    store: readStore,
    projector,
    secrets,
    once: createOnce({ store: readStore, projector, log, clock: world.clock }),
    checker,
    environments: options.environments,
    folders: createSessionFolders(options.workspaceRoot),
    quotas: createQuotas(noQuotas),
    disk: { mustHaveRoom: async () => {}, watch: () => () => {}, changed() {}, longestFile: () => undefined },
    idleSeconds: 3600,
    isNamed: () => false,
    inspect: options.inspect,
    report,
    onFault: options.onFault ?? (() => {}),
  })
  await environments.start()

  return {
    world,
    log,
    store,
    projector,
    readStore,
    environments,
    options: { ...options, world, store, secrets },
    /** Every stored event, oldest first. */
    async stored(): Promise<Recorded[]> {
      const events: Recorded[] = []
      for await (const page of log.readAll()) events.push(...page)
      return events
    },
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      stopRetrying()
      await environments.stop()
      closed = true
      await log.settled()
      projector.flush()
      await log.close()
      await readStore.close()
    },
  }
}
export type SessionSystem = Awaited<ReturnType<typeof givenSessions>>

/** Ends a system and starts another on the same log. */
export const restartedSessions = async (system: SessionSystem, changes: Partial<SessionOptions> = {}) => {
  await system.close()
  return givenSessions({ ...system.options, ...changes })
}
/** Kills a system: another one starts from what was stored at this moment. */
export const crashedSessions = async (system: SessionSystem, changes: Partial<SessionOptions> = {}) => {
  const store = await storeOf(rowsOf(system.store))
  await system.close()
  return givenSessions({ ...system.options, store, ...changes })
}
