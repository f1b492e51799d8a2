import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { commandOf } from '../src/environments/command.ts'
import { createEnvironments } from '../src/environments/environments.ts'
import { startProcess } from '../src/environments/process.ts'
import { openChildren } from '../src/platform/children/children.ts'
import { createMemoryWatch } from '../src/platform/programs/memory-watch.ts'
import { realWorld } from '../src/platform/world.ts'
import { newFolder } from './support/folder.ts'
import { type Caller, createCaller } from './support/one-by-one.ts'
import { residentOf } from './support/process-use.ts'
import { interleave, printDifference, printRatio } from './support/rounds.ts'
import { type Server, startEnvSteps, startOurs } from './support/server.ts'
import { median, percentile, short } from './support/stats.ts'

export const about = 'steps of environments, against fastify, the same child process and one durable commit'

const seconds = Number(process.env.SECONDS ?? 3)
const many = Number(process.env.SESSIONS ?? 256)
const refolded = 1000
const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** A map with two cells, between which an agent can walk for ever. */
const walk = { map: '#####\n#@.G#\n#####', max_steps: 1_000_000 }
const stepOf = (session: string, n: number) => ({
  session_id: session,
  tool_name: 'move',
  tool_args: { direction: n % 2 === 0 ? 'east' : 'west' },
})

const userClass = `
export default class Counter {
  count = 0
  reset() { this.count = 0; return this.observe() }
  step(tool, { by = 1 }) { this.count += by; return { content: String(this.count), observation: this.observe() } }
  observe() { return { count: this.count } }
  tools() { return [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }] }
}
`

/** Mistakes that the author of an environment may make. Each keeps the process busy for half a second or more. */
const hostileClass = `
export default class Hostile {
  reset() { return {} }
  step(tool) {
    if (tool === 'spin') for (const end = Date.now() + 500; Date.now() < end; );
    if (tool === 'flood') for (let n = 0; n < 200; n++) console.log('x'.repeat(64 * 1024))
    if (tool === 'hold') globalThis.held = [...(globalThis.held ?? []), new Array(4e6).fill(0)]
    return { content: 'done' }
  }
  observe() { return {} }
  tools() { return ['spin', 'flood', 'hold'].map(name => ({ type: 'function', function: { name, parameters: { type: 'object' } } })) }
}
`

type Driven = { caller: Caller; session: string; n: number }
const open = async (server: Server, session: string, body: object): Promise<Driven> => {
  const caller = await createCaller(server.url)
  await caller.post('/v1/env/create', { session_id: session, ...body })
  return { caller, session, n: 0 }
}
const gridworld = (extra: object) => ({ env_id: 'gridworld', ...extra })

/** Each session takes its next step when the last one is answered. Resolves to steps per second and their durations. */
const drive = async (driven: Driven[], body: (one: Driven) => object) => {
  const took: number[] = []
  const until = performance.now() + seconds * 1000
  await Promise.all(
    driven.map(async one => {
      while (performance.now() < until) {
        const began = performance.now()
        await one.caller.post('/v1/env/step', body(one))
        one.n++
        took.push(performance.now() - began)
      }
    }),
  )
  return { rate: took.length / seconds, took }
}

const comparedSteps = async (): Promise<void> => {
  const ours = await startOurs(newFolder('ours'))
  const baseline = await startEnvSteps(newFolder('baseline'))
  for (const count of [1, 32]) {
    const sessions = async (server: Server, kwargs: object) => {
      const opened: Driven[] = []
      for (let n = 0; n < count; n++) opened.push(await open(server, `walk-${count}-${n}`, gridworld(kwargs)))
      return opened
    }
    const own = await sessions(ours, { env_init_kwargs: walk })
    const bare = await sessions(baseline, { kwargs: walk })
    const step = (one: Driven) => stepOf(one.session, one.n)
    const rounds = await interleave({
      bare: async () => (await drive(bare, step)).rate,
      ours: async () => (await drive(own, step)).rate,
    })
    printRatio(`steps of gridworld, ${count} sessions`, rounds.ours, rounds.bare, {
      unit: 'steps/s',
      target: { atLeast: 0.6 },
    })
    for (const { caller, session } of own) {
      await caller.post('/v1/env/close', { session_id: session })
      caller.close()
    }
    for (const { caller } of bare) caller.close()
  }
  await ours.stop()
  await baseline.stop()
}

const besideHostile = async (): Promise<void> => {
  const folder = modules(0)
  writeFileSync(path.join(folder, 'hostile.mjs'), hostileClass)
  const server = await startOurs(newFolder('beside'), [], { ENV_PATH: folder })
  const own = [await open(server, 'own', { env_id: 'counter' })]
  const step = (one: Driven) => ({ session_id: one.session, tool_name: 'add', tool_args: { by: 2 } })
  const alone = await drive(own, step)
  let over = false
  const hostile = ['spin', 'flood', 'hold'].map(async tool => {
    const one = await open(server, tool, { env_id: 'hostile' })
    const body = { session_id: tool, tool_name: tool, tool_args: {} }
    // A session that the server has closed because of a mistake is opened again.
    while (!over) {
      await one.caller
        .post('/v1/env/step', body)
        .catch(() => one.caller.post('/v1/env/create', { session_id: tool, env_id: 'hostile' }))
        .catch(() => wait(50))
    }
    one.caller.close()
  })
  await wait(500)
  const beside = await drive(own, step)
  over = true
  await Promise.all(hostile)
  const p99 = ({ took }: { took: number[] }) => short(percentile(took, 0.99))
  console.log('\na step beside three sessions that spin, flood and hold memory (no target)')
  console.log(`  alone     p50 ${short(median(alone.took))} ms, p99 ${p99(alone)} ms`)
  console.log(`  beside    p50 ${short(median(beside.took))} ms, p99 ${p99(beside)} ms`)
  await server.stop()
}

/** Makes a folder of modules. One module has `copies` copies, so that no session waits for the process of another. */
const modules = (copies: number): string => {
  const folder = newFolder('modules')
  mkdirSync(folder, { recursive: true })
  for (const name of ['counter', ...Array.from({ length: copies }, (_, n) => `copy-${n}`)])
    writeFileSync(path.join(folder, `${name}.mjs`), userClass)
  return folder
}

const manySessions = async (): Promise<void> => {
  const server = await startOurs(newFolder('many'), [], { ENV_PATH: modules(0) })
  const alone = residentOf(server.pid) ?? Number.NaN
  const free = process.availableMemory()
  const opened: Driven[] = []
  for (let n = 0; n < many; n++) opened.push(await open(server, `many-${n}`, { env_id: 'counter' }))
  const step = (one: Driven) => ({ session_id: one.session, tool_name: 'add', tool_args: { by: 2 } })
  const mib = (free - process.availableMemory()) / 1024 / 1024 / many
  const { rate, took } = await drive(opened, step)
  const quiet = await drive(opened.slice(0, 1), step)
  console.log(`\n${many} sessions of a user's class (no target)`)
  console.log(
    `  memory    ${short(mib)} MiB each, ${short((residentOf(server.pid) ?? 0) - alone)} MiB in the server`,
  )
  console.log(
    `  all step  ${short(rate)} steps/s, p50 ${short(median(took))} ms, p99 ${short(percentile(took, 0.99))} ms`,
  )
  console.log(`  one steps ${short(quiet.rate)} steps/s, p99 ${short(percentile(quiet.took, 0.99))} ms`)
  await server.stop()
}

const creates = async (): Promise<void> => {
  const copies = 12
  const folder = modules(copies)
  const server = await startOurs(newFolder('creates'), [], { ENV_PATH: folder })
  const { timers } = realWorld()
  const children = await openChildren(path.join(newFolder('children'), 'children'))
  const memory = createMemoryWatch(timers)
  const caller = await createCaller(server.url)
  let made = 0
  const timed = async (work: () => Promise<unknown>) => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  const created = (env_id: string) =>
    timed(() => caller.post('/v1/env/create', { session_id: `made-${++made}`, env_id }))
  let copy = 0
  const rounds = await interleave({
    child: () =>
      timed(async () => {
        const limits = { children, timers, memory, memoryMb: 512 }
        const one = await startProcess(commandOf(path.join(folder, 'counter.mjs'), 512), limits)
        void one.end()
      }),
    create: () => created(`copy-${copy++}`),
  })
  printRatio('create to the first observation', rounds.create, rounds.child, {
    unit: 'ms',
    target: { atMost: 1.3 },
  })
  const warm: number[] = []
  for (let n = 0; n < 10; n++) {
    await wait(700)
    const took = await created('counter')
    if (n > 0) warm.push(took)
  }
  printDifference(
    'create to the first observation, with a process that is ready',
    warm,
    warm.map(() => 0),
    { unit: 'ms', atMost: 20 },
  )
  caller.close()
  await children.close()
  await server.stop()
}

const refold = async (): Promise<void> => {
  const folder = newFolder('refold')
  let server = await startOurs(folder)
  const one = await open(server, 'long', gridworld({ env_init_kwargs: walk }))
  for (; one.n < refolded; one.n++) await one.caller.post('/v1/env/step', stepOf('long', one.n))
  one.caller.close()
  const { timers } = realWorld()
  const children = await openChildren(path.join(newFolder('children'), 'children'))
  const environments = createEnvironments(
    { children, timers, memory: createMemoryWatch(timers) },
    { path: undefined, byDefault: 'gridworld', stepTimeoutMs: 60_000, memoryMb: 512 },
  )
  const found = await environments.resolve('gridworld', undefined)
  if (!('source' in found)) throw new Error(found.message)
  const calls = async () => {
    const began = performance.now()
    const dir = path.join(newFolder('instance'), 'own')
    const instance = await environments.open(found.source, { kwargs: walk, env_vars: {}, dir })
    await instance.reset({ seed: 1, options: {}, now: 0 })
    for (let n = 0; n < refolded; n++) {
      const { tool_name, tool_args } = stepOf('long', n)
      const given = { tool: tool_name, args: tool_args, seed: 1, number: n + 1, now: 0 }
      await instance.step(given, { emit() {}, signal: new AbortController().signal })
    }
    const took = performance.now() - began
    await instance.close()
    return took
  }
  const rounds = await interleave({
    calls,
    refold: async () => {
      await server.stop()
      server = await startOurs(folder)
      const caller = await createCaller(server.url)
      const began = performance.now()
      await caller.post('/v1/env/observation', { session_id: 'long' })
      const took = performance.now() - began
      caller.close()
      return took
    },
  })
  printRatio(`${refolded} steps folded again, in a new process`, rounds.refold, rounds.calls, {
    unit: 'ms',
    target: { atMost: 2 },
  })
  environments.close()
  await children.close()
  await server.stop()
}

export const run = async (): Promise<void> => {
  await comparedSteps()
  await manySessions()
  await besideHostile()
  await creates()
  await refold()
}
