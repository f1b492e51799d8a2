// The whole system without the network, on a log in memory or in a file. Its clock, ids and random numbers follow from
// a seed.
import { openReadStore, type ReadStore } from '../../projections/store.ts'
import { demo } from '../../src/agents/demo.ts'
import { echo } from '../../src/agents/echo.ts'
import { group } from '../../src/agents/group/group.ts'
import { script } from '../../src/agents/script.ts'
import type { Agent } from '../../src/contract/agent.ts'
import type { CodeAgents } from '../../src/contract/code-agent.ts'
import type { Principal } from '../../src/contract/events/token-events.ts'
import type { Report } from '../../src/contract/ports.ts'
import { type RefusalName, refusals } from '../../src/contract/refusals.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import type { Reach, Tool } from '../../src/contract/tools.ts'
import type { CreateTaskBody, ScriptStep } from '../../src/contract/wire.ts'
import { createSessionFolders } from '../../src/env-sessions/folders.ts'
import { noQuotas, type QuotaLimits } from '../../src/fairness/quotas.ts'
import { createSchemaChecker } from '../../src/json-schema/checker.ts'
import { openLog } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Row, Store } from '../../src/log/store.ts'
import type { Secrets } from '../../src/platform/secrets.ts'
import { createSystem, type SystemDeps } from '../../src/shard/system.ts'
import { alone, storesOver } from './store.ts'
import { settle, type TestWorld, testWorld } from './world.ts'

export const admin: Principal = { id: 'admin', role: 'admin', userId: undefined, expiresAt: undefined }
export const noTtls = { created: 0, queued: 0, working: 0, paused: 0, 'input-required': 0 }

export const memorySecrets = (): Secrets => {
  const kept = new Map<string, Record<string, unknown>>()
  return {
    put: (ref, values) => void kept.set(ref, values),
    get: ref => kept.get(ref),
    forget: ref => void kept.delete(ref),
    refs: () => [...kept.keys()],
    sweep: isNamed => {
      for (const ref of kept.keys()) if (!isNamed(ref)) kept.delete(ref)
    },
    stored: async () => {},
    close: () => {},
  }
}

/** The pattern of a refusal, for `throws` and `rejects`. */
export const refused = (reason: RefusalName, data?: object) => ({
  reason,
  http: refusals[reason].http,
  code: refusals[reason].code,
  ...(data === undefined ? {} : { data }),
})

/** Every stored row, as it is stored. */
export const rowsOf = (store: Store): Row[] => store.page(0, Number.MAX_SAFE_INTEGER)

/** A store in memory with only these rows. Their positions are counted from 1 again. */
export const storeOf = async (rows: Row[]): Promise<Store> => {
  const store = memoryStore()
  const numbers = new Map<string, number>()
  for (const [index, { stream, revision, header, payload, salt }] of rows.entries()) {
    const known = numbers.get(stream)
    const no = known ?? numbers.size + 1
    numbers.set(stream, no)
    const open = header.slice(0, header.lastIndexOf(',"digest":"'))
    await store.write({
      first: index + 1,
      streamNos: [no],
      revisions: [revision],
      texts: [open, payload ?? '', salt ?? ''],
      newStreams: known === undefined ? [{ no, id: stream }] : [],
      long: [],
      erasures: [],
    })
  }
  return store
}

/** A store whose writes can be made to fail: before anything is stored, or after everything was stored. */
export const failingStore = (inner: Store = memoryStore()) => {
  let failures: ('lost' | 'kept')[] = []
  const store: Store = {
    ...inner,
    async write(batch) {
      const how = failures.shift()
      if (how !== 'lost') await inner.write(batch)
      if (how !== undefined) throw new Error('the disk refuses to write')
    },
  }
  return {
    store: alone(store),
    failNext: (how: 'lost' | 'kept', times = 1) => {
      failures = Array.from({ length: times }, () => how)
    },
  }
}

/** A store that writes nothing after `close`, even if another system continues with its rows. */
const closable = (inner: Store): Store => {
  let closed = false
  return {
    ...inner,
    write: batch => (closed ? Promise.reject(new Error('the store is closed')) : inner.write(batch)),
    close: async () => {
      closed = true
      await inner.close()
    },
  }
}

const noEnvironments: SystemDeps['environments'] = {
  resolve: async () => ({ refused: 'unknown', message: 'there are none' }),
  open: () => Promise.reject(new Error('there are none')),
  list: async () => [],
  info: async () => [],
}

const noOutside: SystemDeps['outside'] = {
  fetch: () => Promise.reject(new Error('there is no network')),
  isRefused: () => false,
  close: async () => {},
}

type Options = {
  environments?: SystemDeps['environments']
  world?: TestWorld
  store?: Store
  readModels?: string
  secrets?: Secrets
  agents?: Agent[]
  codeAgents?: CodeAgents
  tools?: Tool[]
  workspaceRoot?: string
  rolloutsRoot?: string
  reach?: Reach
  ttls?: typeof noTtls
  maxRunningTasks?: number
  quotas?: Partial<QuotaLimits>
  report?: Report
  inspect?: SystemDeps['inspect']
  /** Sends requests of webhooks. */
  outside?: SystemDeps['outside']
  build?: string
  /** Whether the tasks of the log are not resumed. */
  idle?: boolean
}

export const givenSystem = async (options: Options = {}) => {
  const world = options.world ?? testWorld()
  const store = options.store ?? memoryStore()
  const secrets = options.secrets ?? memorySecrets()
  const stores = await storesOver(store, secrets)
  const log = openLog(closable(stores.store), {
    clock: world.clock,
    random: world.random,
    build: options.build ?? 'test',
  })
  const agents = new Map(
    [echo, script(world.timers), demo(world.timers), group, ...(options.agents ?? [])].map(agent => [
      agent.name,
      agent,
    ]),
  )
  const roots = {
    workspace: options.workspaceRoot ?? '/nowhere/workspace',
    rollouts: options.rolloutsRoot ?? '/nowhere/rollouts',
    logs: '/nowhere/logs',
  }
  let readStore: ReadStore | undefined
  const checker = createSchemaChecker()
  const system = await createSystem({
    world,
    log,
    openReadStore: anew => {
      readStore = openReadStore(options.readModels ?? ':memory:', anew)
      return readStore
    },
    secrets: stores.secrets,
    agents,
    ...(options.codeAgents === undefined
      ? {}
      : { codeHosts: { agents: options.codeAgents, problemOf: () => undefined } }),
    defaultAgent: 'echo',
    tools: options.tools ?? [],
    checker,
    environments: options.environments ?? noEnvironments,
    sessionFolders: createSessionFolders(options.workspaceRoot ?? '/nowhere/sessions'),
    sessionIdleSeconds: 3600,
    roots,
    sessionsRoot: '/nowhere/sessions',
    ttls: options.ttls ?? noTtls,
    maxRunningTasks: options.maxRunningTasks ?? 0,
    quotas: { ...noQuotas, ...options.quotas },
    report: options.report ?? (() => {}),
    idle: options.idle ?? false,
    outside: options.outside ?? noOutside,
    ...(options.inspect === undefined ? {} : { inspect: options.inspect }),
    ...(options.reach === undefined ? {} : { reach: options.reach }),
  })
  let requests = 0

  /** Creates a task as a request over HTTP would. Resolves to its id. */
  const create = async (
    given: Partial<CreateTaskBody>,
    call: { principal?: Principal; key?: string; isRetry?: boolean } = {},
  ): Promise<string> => {
    const body: CreateTaskBody = { user_message_content: 'hello', stream: false, background: true, ...given }
    const principal = call.principal ?? admin
    const request = await system.tasks.requests.read(principal, body)
    const created = await system.tasks.commands.create({
      principal,
      request,
      body,
      envelopeId: `req_${++requests}`,
      idempotencyKey: call.key,
      isRetry: call.isRetry ?? false,
    })
    return 'replay' in created ? created.replay.id : created.taskId
  }
  /** Creates a task that plays a script. */
  const play = (
    steps: ScriptStep[],
    given: Partial<CreateTaskBody> = {},
    call: Parameters<typeof create>[1] = {},
  ): Promise<string> => create({ ...given, agent_config: { agent_id: 'script', script: steps } }, call)

  /** Every stored event, oldest first. */
  const stored = async (): Promise<Recorded[]> => {
    const events: Recorded[] = []
    for await (const page of log.readAll()) events.push(...page)
    return events
  }
  /** The types of a task's events, in order. */
  const factsOf = async (taskId: string): Promise<string[]> => {
    const types: string[] = []
    for await (const page of log.readStream(`task-${taskId}`))
      types.push(...page.map(({ header }) => header.type))
    return types
  }
  /** The task object as GET answers it. */
  const get = (taskId: string, principal = admin) =>
    JSON.parse(system.tasks.queries.taskText(system.tasks.queries.visible(principal, taskId).position))

  return {
    ...system,
    ...system.tasks,
    ...system.bus,
    loop: system.fairness.loop,
    quotas: system.fairness.quotas,
    world,
    store,
    create,
    play,
    stored,
    factsOf,
    get,
    /** The options of this system, to make another system on the same log. */
    options: { ...options, world, store, secrets },
    /** The store of the read models. */
    readStore: () => readStore as ReadStore,
  }
}
export type TestSystem = Awaited<ReturnType<typeof givenSystem>>

/** Resolves when the system stores nothing more by itself. The clock does not move meanwhile. */
export const quiet = async ({ log }: Pick<TestSystem, 'log'>): Promise<void> => {
  for (let head = -1; head !== log.head(); ) {
    head = log.head()
    await settle()
  }
}

/** Closes a system without waiting for its tasks, and starts another system on the same log. */
export const restarted = async (system: TestSystem, changes: Options = {}): Promise<TestSystem> => {
  await system.close()
  return givenSystem({ ...system.options, ...changes })
}

/** Kills a system, whatever is under way, and starts another system from what is stored at this moment. */
export const crashed = async (system: TestSystem, changes: Options = {}): Promise<TestSystem> => {
  const store = await storeOf(rowsOf(system.store))
  await system.close()
  return givenSystem({ ...system.options, store, ...changes })
}

/** Lets the read models fall behind. The returned function lets them catch up. */
export const holdReadModels = ({ readStore, projector }: Pick<TestSystem, 'readStore' | 'projector'>) => {
  projector.flush() // ends the open transaction, whose rollback would take back the triggers
  readStore().exec(`CREATE TEMP TRIGGER broken BEFORE UPDATE ON tasks BEGIN SELECT raise(ABORT, 'disk full'); END;
    CREATE TEMP TRIGGER broken_too AFTER INSERT ON tasks BEGIN SELECT raise(ABORT, 'disk full'); END`)
  return async () => {
    readStore().exec('DROP TRIGGER broken; DROP TRIGGER broken_too')
    await projector.catchUp()
  }
}
