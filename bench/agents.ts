// Hundreds of agents at once, at the pace of a model: each has five steps, with forty small deltas and four tool calls.
import { statSync } from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { openReadStore } from '../projections/store.ts'
import { script } from '../src/agents/script.ts'
import type { Agent } from '../src/contract/agent.ts'
import { taskStream } from '../src/contract/task-stream.ts'
import type { CreateTaskBody, OutputItem } from '../src/contract/wire.ts'
import { createSessionFolders } from '../src/env-sessions/folders.ts'
import { noQuotas } from '../src/fairness/quotas.ts'
import { createSchemaChecker } from '../src/json-schema/checker.ts'
import { openSecrets } from '../src/platform/secrets.ts'
import { realWorld } from '../src/platform/world.ts'
import { createSystem } from '../src/shard/system.ts'
import { builtinTools } from '../src/tools/builtin.ts'
import { newFolder } from './support/folder.ts'
import { openFileLog } from './support/open-log.ts'
import { ownCpuSeconds } from './support/process-use.ts'
import { createNotes, printRatio } from './support/rounds.ts'
import { percentile, short } from './support/stats.ts'

export const about =
  'hundreds of agents at once, paced as a model paces them, open loop, against the same script without a log'

const atOnce = 500
const share = 0.7
const deltaMs = 25
const words = 40
const steps = 5
const seconds = Number(process.env.AGENT_SECONDS ?? 20)
const rounds = Number(process.env.AGENT_ROUNDS ?? 5)

const text = Array.from({ length: words }, (_, n) => `word${n % 10}`).join(' ')
const entries = Array.from({ length: steps }, (_, n) => [
  { message: text, delta_ms: deltaMs },
  ...(n < steps - 1 ? [{ tool: 'calculator', arguments: { expression: `${n}+1` } }] : []),
]).flat()
const taskMs = steps * (words - 1) * deltaMs
const body: CreateTaskBody = {
  user_message_content: 'go',
  stream: false,
  background: true,
  agent_config: { agent_id: 'script', script: entries },
}

const world = realWorld()
const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const tools = builtinTools(world)
const calculator = tools.find(({ definition }) => definition.function.name === 'calculator')

/** Plays the same script at the same pace without storing anything. This shows what agents and tools alone cost. */
const playInMemory = async (agent: Agent): Promise<void> => {
  const output: OutputItem[] = []
  for (let agentStep = 1; ; agentStep++) {
    const { signal } = new AbortController()
    const input = {
      agentStep,
      attempt: 0,
      request: body,
      corrected: false,
      summed: false,
      asked: 'go',
      env: {},
      tools: async () => [],
      used: { tokens: 0, context: 0, startedAt: 0 },
      workdir: '/',
      signal: () => signal,
    }
    const said = agent.step({ ...input, history: async () => output, given: async () => [] })
    let message = ''
    for (;;) {
      const next = await said.next()
      if (next.done === true) {
        if (next.value.end === 'answer') return
        break
      }
      if (next.value.say === 'delta') message += next.value.text
      if (next.value.say !== 'call') continue
      const args = JSON.parse(next.value.arguments)
      const disk = { take: async () => {}, giveBack() {} }
      const place = { workdir: '/', userFolder: '/', disk, env: {}, emit() {}, user: 'bench' }
      await calculator?.run({ effectId: 'e', arguments: args, ...place, at: 0, signal })
    }
    output.push({ type: 'message', id: 'm', role: 'assistant', message_content: message })
  }
}

/**
 * Starts `rate` tasks a second for some seconds and waits for the last one. Resolves to the CPU milliseconds of each.
 */
const openLoop = async (rate: number, forSeconds: number, play: () => Promise<unknown>): Promise<number> => {
  const cpu = ownCpuSeconds()
  const began = performance.now()
  const all: Promise<unknown>[] = []
  for (let n = 0; n < rate * forSeconds; n++) {
    const due = began + (n * 1000) / rate
    if (due > performance.now()) await wait(due - performance.now())
    all.push(play())
  }
  await Promise.all(all)
  return ((ownCpuSeconds() - cpu) * 1000) / all.length
}

const openSystem = async (folder: string) => {
  const log = openFileLog(folder)
  const roots = { workspace: folder, rollouts: folder, logs: folder }
  /** The times at which the agent of a task produced its deltas, oldest first. */
  const saidAt = new Map<string, number[]>()
  const plain = script(world.timers)
  const timed: Agent = {
    name: 'script',
    async *step(input) {
      const said = plain.step(input)
      for (;;) {
        const next = await said.next()
        if (next.done === true) return next.value
        if (next.value.say === 'delta') saidAt.get(input.workdir)?.push(performance.now())
        yield next.value
      }
    },
  }
  const system = await createSystem({
    world,
    log,
    openReadStore: anew => openReadStore(path.join(folder, 'read.db'), anew),
    secrets: openSecrets(path.join(folder, 'secrets.db')),
    agents: new Map([['script', timed]]),
    defaultAgent: 'script',
    outside: { fetch, isRefused: () => false, close: async () => {} },
    tools,
    checker: createSchemaChecker(),
    environments: {
      resolve: async () => ({ refused: 'unknown', message: 'there are none' }),
      open: () => Promise.reject(new Error('there are none')),
      list: async () => [],
      info: async () => [],
    },
    sessionFolders: createSessionFolders(path.join(folder, 'sessions')),
    sessionIdleSeconds: 0,
    roots,
    sessionsRoot: path.join(folder, 'sessions'),
    ttls: { created: 0, queued: 0, working: 0, paused: 0, 'input-required': 0 },
    maxRunningTasks: 0,
    quotas: noQuotas,
    report: () => {},
  })
  const delays: number[] = []
  const principal = { id: 'admin', role: 'admin' as const, userId: undefined, expiresAt: undefined }

  /** Creates a task, follows its stream to the end, and records the delay of each delta. */
  const play = async (): Promise<void> => {
    const request = await system.tasks.requests.read(principal, body)
    const workdir = path.join(folder, 'default', world.ids.next('w_'))
    const said: number[] = []
    saidAt.set(workdir, said)
    const created = await system.tasks.commands.create({
      principal,
      request: { ...request, workdir: () => workdir },
      body,
      envelopeId: 'req',
      idempotencyKey: undefined,
      isRetry: false,
    })
    if (!('taskId' in created)) throw new Error('no new task')
    const feed = { stream: taskStream(created.taskId), after: -1, endsAtWait: true }
    let heard = 0
    for await (const frames of system.tasks.streams.open(feed).frames()) {
      const now = performance.now()
      for (const frame of frames) {
        if (frame.type !== 'task.text.delta') continue
        const count = (String(frame.delta).match(/\S+/g) ?? []).length
        for (const at of said.slice(heard, heard + count)) delays.push(now - at)
        heard += count
      }
    }
    if (heard !== words * steps) throw new Error(`heard ${heard} words of ${words * steps}`)
    saidAt.delete(workdir)
  }
  return { system, log, play, delays }
}

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

export const run = async (): Promise<void> => {
  const folder = newFolder('agents')
  const { system, log, play, delays } = await openSystem(folder)
  const plain = script(world.timers)

  // The capacity: the rate at which the main thread would always be busy.
  await openLoop(atOnce / (taskMs / 1000) / 2, 5, play)
  const before = performance.eventLoopUtilization()
  const began = performance.now()
  const probe = atOnce / (taskMs / 1000) / 2
  await openLoop(probe, 10, play)
  const { utilization } = performance.eventLoopUtilization(before)
  const played = (probe * 10) / ((performance.now() - began) / 1000)
  const capacity = played / utilization
  const rate = share * capacity
  console.log(
    `capacity ${short(capacity)} tasks/s; open loop at ${short(rate)}/s: ${short((rate * taskMs) / 1000)} tasks at once`,
  )

  let commits = 0
  log.onCommit(() => {
    commits++
  })
  const notes = createNotes()
  const cpu = { ours: [] as number[], memory: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    cpu.memory.push(await openLoop(rate, seconds / 2, () => playInMemory(plain)))
    delays.length = 0
    const [position, bytes] = [log.head(), bytesOf(path.join(folder, 'log.db'))]
    const tasks = Math.ceil(rate * seconds)
    const system0 = process.cpuUsage().system
    commits = 0
    cpu.ours.push(await openLoop(rate, seconds, play))
    notes.add('delta delay p50 ms', percentile(delays, 0.5))
    notes.add('p99 ms (target <= 100)', percentile(delays, 0.99))
    const events = log.head() - position
    const grown = bytesOf(path.join(folder, 'log.db')) - bytes
    notes.add('events/task', events / tasks)
    notes.add(
      'bytes/event in the file, text taken off (target <= 700)',
      (grown - tasks * steps * text.length) / events,
    )
    notes.add('commits/task', commits / tasks)
    notes.add('of it in the kernel, ms/task', (process.cpuUsage().system - system0) / 1000 / tasks)
  }
  printRatio('CPU of an agent task against the same script without a log', cpu.ours, cpu.memory, {
    unit: 'ms/task',
    target: { atMost: 4 },
  })
  notes.print()
  await system.close()
}
