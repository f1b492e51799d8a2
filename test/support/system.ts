// The whole system without the network, on a log in memory or in a file, in a world that a seed reproduces.
import { openReadStore } from '../../projections/store.ts'
import { demo } from '../../src/agents/demo.ts'
import { echo } from '../../src/agents/echo.ts'
import { script } from '../../src/agents/script.ts'
import type { Agent } from '../../src/contract/agent.ts'
import type { Report } from '../../src/contract/ports.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import type { Principal } from '../../src/contract/token-events.ts'
import type { CreateTaskBody, ScriptStep } from '../../src/contract/wire.ts'
import { openLog } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Store } from '../../src/log/store.ts'
import type { Secrets } from '../../src/secrets.ts'
import { createSystem } from '../../src/system.ts'
import { readTaskRequest } from '../../src/task-request.ts'
import { type TestWorld, testWorld } from './world.ts'

export const admin: Principal = { id: 'admin', role: 'admin', userId: undefined, expiresAt: undefined }
export const noTtls = { created: 0, queued: 0, working: 0, paused: 0, 'input-required': 0 }

export const memorySecrets = (): Secrets => {
  const kept = new Map<string, Record<string, unknown>>()
  return {
    put: (ref, values) => void kept.set(ref, values),
    get: ref => kept.get(ref),
    forget: ref => void kept.delete(ref),
    sweep: refs => {
      for (const ref of kept.keys()) if (!refs.has(ref)) kept.delete(ref)
    },
    close: () => {},
  }
}

type Options = {
  world?: TestWorld
  store?: Store
  readModels?: string
  secrets?: Secrets
  agents?: Agent[]
  ttls?: typeof noTtls
  maxRunningTasks?: number
  report?: Report
}

export const givenSystem = async (options: Options = {}) => {
  const world = options.world ?? testWorld()
  const store = options.store ?? memoryStore()
  const log = openLog(store, { clock: world.clock, random: world.random, build: 'test' })
  const agents = new Map(
    [echo, script(world.timers), demo(world.timers), ...(options.agents ?? [])].map(agent => [
      agent.name,
      agent,
    ]),
  )
  const system = await createSystem({
    world,
    log,
    openReadStore: anew => openReadStore(options.readModels ?? ':memory:', anew),
    secrets: options.secrets ?? memorySecrets(),
    agents,
    ttls: options.ttls ?? noTtls,
    maxRunningTasks: options.maxRunningTasks ?? 0,
    report: options.report ?? (() => {}),
  })
  const places = {
    workspaceRoot: '/nowhere/workspace',
    rolloutsRoot: '/nowhere/rollouts',
    logsRoot: '/nowhere/logs',
  }
  let requests = 0

  /** Creates a task as a request over HTTP would; the answer is its id. */
  const create = async (
    given: Partial<CreateTaskBody>,
    call: { principal?: Principal; key?: string; isRetry?: boolean } = {},
  ): Promise<string> => {
    const body: CreateTaskBody = { user_message_content: 'hello', stream: false, background: true, ...given }
    const request = readTaskRequest(body, places, { known: name => agents.has(name), fallback: 'echo' })
    const created = await system.commands.create({
      principal: call.principal ?? admin,
      request,
      body,
      envelopeId: `req_${++requests}`,
      idempotencyKey: call.key,
      isRetry: call.isRetry ?? false,
    })
    return 'replay' in created ? created.replay.id : created.taskId
  }
  /** Creates a task that plays a script. */
  const play = (steps: ScriptStep[], given: Partial<CreateTaskBody> = {}): Promise<string> =>
    create({ ...given, agent_config: { agent_id: 'script', script: steps } })

  /** Every stored event, oldest first. */
  const stored = async (): Promise<Recorded[]> => {
    const events: Recorded[] = []
    for await (const page of log.readAll()) events.push(...page)
    return events
  }
  /** The types of a task's facts, in order. */
  const factsOf = async (taskId: string): Promise<string[]> => {
    const types: string[] = []
    for await (const page of log.readStream(`task-${taskId}`))
      types.push(...page.map(({ header }) => header.type))
    return types
  }
  /** The task object as GET answers it. */
  const get = (taskId: string, principal = admin) =>
    JSON.parse(system.queries.taskText(system.queries.visible(principal, taskId).position))

  return { ...system, world, store, create, play, stored, factsOf, get }
}
export type TestSystem = Awaited<ReturnType<typeof givenSystem>>
