// A whole system under random commands from one seed: creates, cancels, pauses, resumes, deletes, expiries, actors
// put away, restarts. `check` compares everything that is derived from the log with the log.

import assert from 'node:assert/strict'
import { snapshotOf } from '../../actors/runtime/logic.ts'
import { foldedTask } from '../../actors/task/actor.ts'
import type { ReadStore } from '../../projections/store.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { Timers } from '../../src/contract/ports.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { type Recorded, StorageFailure } from '../../src/contract/stored.ts'
import type { ToolInput } from '../../src/contract/tools.ts'
import { type ScriptStep, type TaskStatus, taskStatuses } from '../../src/contract/wire.ts'
import { renderFrames } from '../../src/history/frames.ts'
import { taskOf } from '../../src/history/task-object.ts'
import { type DecidedTask, emptyDecided, emptyTask, evolveDecided } from '../../src/history/task-view.ts'
import type { Store } from '../../src/log/store.ts'
import { sleep } from '../../src/platform/sleep.ts'
import {
  admin,
  failingStore,
  givenSystem,
  noTtls,
  quiet,
  restarted,
  rowsOf,
  storeOf,
  type TestSystem,
} from '../support/system.ts'
import { clientTool, tool } from '../support/tools.ts'
import { randomOf, settle, testWorld } from '../support/world.ts'
import { lastSnapshots, mustFollowChart } from './chart.ts'

const terminal = new Set(['completed', 'canceled', 'expired', 'failed'])
/** The moves of the interface's table, and creation; written from the document. */
const moves: Record<string, Record<string, string>> = {
  TaskCreated: { absent: 'created' },
  TaskQueued: { created: 'queued' },
  TaskStarted: { created: 'working', queued: 'working' },
  InputRequired: { working: 'input-required' },
  InputAnswered: { 'input-required': 'working' },
  TaskPaused: { working: 'paused' },
  TaskResumed: { paused: 'working' },
  TaskCompleted: { working: 'completed' },
  TaskFailed: { working: 'failed' },
  TaskCanceled: {
    created: 'canceled',
    queued: 'canceled',
    working: 'canceled',
    'input-required': 'canceled',
    paused: 'canceled',
  },
  TaskExpired: {
    created: 'expired',
    queued: 'expired',
    working: 'expired',
    'input-required': 'expired',
    paused: 'expired',
  },
}

export const randomScript = (random: () => number): ScriptStep[] => {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
      pick(['ja', 'no', 'été', '日本', '🙂', 'x\n']),
    ).join(' ')
  const step = (): ScriptStep => {
    const kind = random()
    if (kind < 0.15) return { message: text() }
    if (kind < 0.3) return { message: text(), delta_ms: pick([0, 5, 60, 200]) }
    if (kind < 0.37) return { reasoning: text() }
    if (kind < 0.48) return { sleep_ms: pick([0, 10, 300, 3000]) }
    if (kind < 0.6) return { tool: pick(['count', 'slow', 'read', 'ask', 'nobody']) }
    if (kind < 0.69) return { tools: [{ tool: 'count' }, { tool: pick(['ask', 'slow', 'agent_echo']) }] }
    if (kind < 0.79) {
      const steps = random() < 0.5 ? [{ sleep_ms: 300 }, { tool: 'slow' }] : [{ message: text() }]
      return { subagent: 'script', input: JSON.stringify(steps) }
    }
    if (kind < 0.87) return { pause: text() }
    if (kind < 0.91) return { fail: { code: -32000, message: text() } }
    return { usage: { input_tokens: Math.floor(random() * 10), output_tokens: 1, total_tokens: 2 } }
  }
  return Array.from({ length: Math.floor(random() * 5) }, step)
}

/** Every row of every table but the checkpoint's leaf, as text; counts of nothing left out. */
export const dump = (store: ReadStore): string =>
  ['tasks', 'items', 'steps', 'requests', 'tokens', 'task_counts', 'checkpoint']
    .map(table => {
      const rows = store.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table} ORDER BY 1, 2`).all()
      return `${table}\n${rows
        .filter(row => table !== 'task_counts' || row.tasks !== 0)
        .map(row => JSON.stringify(row))
        .join('\n')}`
    })
    .join('\n')

export const byStream = (events: Recorded[]): Map<string, Recorded[]> => {
  const streams = new Map<string, Recorded[]>()
  for (const event of events) {
    const own = streams.get(event.header.stream) ?? []
    own.push(event)
    streams.set(event.header.stream, own)
  }
  return streams
}

/** Throws unless a stream's moves are those of the table, with one terminal fact at most. */
export const mustBeLegal = (events: Recorded[]): string => {
  let status = 'absent'
  let ends = 0
  for (const [revision, { header }] of events.entries()) {
    assert.equal(header.revision, revision, 'revisions are without holes')
    const table = moves[header.type]
    if (table === undefined) continue
    const next = table[status]
    assert.ok(next !== undefined, `${header.stream}: ${header.type} from ${status}`)
    status = next
    if (terminal.has(status)) ends++
  }
  assert.ok(ends <= 1, 'at most one terminal fact')
  return status
}

/** One working task a session but for resumed ones, within the limit; starts in the order of creation. */
const mustKeepPlaces = (events: Recorded[], limit: number) => {
  type Known = { session: string; status: string; by: string }
  const tasks = new Map<string, Known>()
  const children = new Set<string>()
  for (const { header, data } of events) {
    const { stream, type, owner, session_id } = header
    if (type === 'TaskCreated' && 'parent_task_id' in (data as object)) children.add(stream)
    if (children.has(stream)) continue
    const session = JSON.stringify([owner, session_id])
    const task = tasks.get(stream) ?? { session, status: 'absent', by: '' }
    tasks.set(stream, task)
    const next = moves[type]?.[task.status]
    if (next === undefined) continue
    if (type === 'TaskStarted') {
      for (const [other, { session: theirs, status, by }] of tasks) {
        if (other === stream || theirs !== session) continue
        assert.ok(
          status !== 'working' || by === 'TaskResumed' || by === 'InputAnswered',
          `${stream} starts while ${other} of its session works`,
        )
        // Map order is the order of creation.
        const older = [...tasks.keys()].indexOf(other) < [...tasks.keys()].indexOf(stream)
        assert.ok(!(older && status === 'queued'), `${stream} starts before the older ${other}`)
      }
      const running = [...tasks.values()].filter(
        ({ status, by }) => status === 'working' && by === 'TaskStarted',
      ).length
      if (limit > 0) assert.ok(running < limit, `${stream} starts beside ${running} others`)
    }
    task.status = next
    task.by = type
  }
}

/** `running`: the newest snapshot of each running actor, by stream. */
export type Simulation = {
  system: TestSystem
  limit: number
  checkpoints: number
  running?: ReadonlyMap<string, unknown>
}

/** Compares all that is derived with a fresh fold of the log. */
export const check = async ({ system, limit, running }: Simulation, random: () => number) => {
  await quiet(system)
  for (let n = 0; n < 3 && system.log.isFailing(); n++) await system.world.advance(1000)
  await quiet(system)
  const events = await system.stored()
  const streams = byStream(events)
  assert.ok(system.queries.isCurrent(), 'the read models are at the head')
  const folds = new Map<string, DecidedTask>()
  const counts: Record<string, number> = {}
  for (const [stream, own] of streams) {
    const status = mustBeLegal(own)
    const told = emptyTask()
    const events = own.map(taskEvents.read)
    const numbers = events.flatMap(event => renderFrames(told, event)).map(frame => frame.sequence_number)
    assert.deepEqual(
      numbers,
      numbers.map((_, n) => n),
      'frames are numbered from 0 without holes',
    )
    const view = events.reduce(evolveDecided, emptyDecided())
    assert.equal(view.status, status)
    folds.set(stream, view)
    counts[status] = (counts[status] ?? 0) + 1
    const { task_id } = view.created ?? { task_id: '' }
    const row = system.queries.rowById(task_id)
    assert.ok(row !== undefined, 'it has a row')
    assert.equal(system.queries.taskText(row.position), JSON.stringify(taskOf(view)), 'GET answers the fold')
    assert.equal(row.deleted === 1, view.deleted)
    assert.deepEqual((await system.recall.replay(row)).mismatches, [], 'a replay matches')
  }
  for (const live of system.runtime.views()) {
    if (live.created === undefined) continue
    assert.deepEqual(live, folds.get(`task-${live.created.task_id}`), 'the live actor is the fold')
    const seen = running?.get(`task-${live.created.task_id}`)
    if (running !== undefined)
      assert.deepEqual(seen, snapshotOf(foldedTask, live), 'and so is its running actor')
  }
  const nonZero = Object.fromEntries(Object.entries(system.queries.taskCounts()).filter(([, n]) => n !== 0))
  assert.deepEqual(nonZero, counts, 'the counts count')
  mustKeepPlaces(events, limit)
  await checkLists(system, [...folds.values()], random)
  await checkRebuild(system)
}

const checkLists = async ({ queries }: TestSystem, folds: DecidedTask[], random: () => number) => {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const maybe = <T>(value: T): T | undefined => (random() < 0.4 ? value : undefined)
  for (let n = 0; n < 4; n++) {
    const userId = maybe(pick(['u1', 'u2', 'nobody']))
    const sessionId = maybe(pick(['s1', 's2', 's3']))
    const statuses = random() < 0.5 ? [] : [...new Set([pick(taskStatuses), pick(taskStatuses)])]
    const order = pick(['asc', 'desc'] as const)
    const limit = 1 + Math.floor(random() * 5)
    const cursor = folds.length === 0 ? undefined : maybe(pick(folds).created?.task_id ?? '')
    const forward = random() < 0.5
    const wish = {
      userId,
      sessionId,
      statuses: statuses as TaskStatus[],
      startingAfter: forward ? cursor : undefined,
      endingBefore: forward ? undefined : cursor,
      limit,
      order,
      includeSubtasks: false,
    }
    const ordered = order === 'asc' ? folds : folds.toReversed()
    const at = ordered.findIndex(view => view.created?.task_id === cursor)
    const range = cursor === undefined ? ordered : forward ? ordered.slice(at + 1) : ordered.slice(0, at)
    const fitting = range.filter(
      view =>
        !view.deleted &&
        view.created?.parent_task_id === undefined &&
        (userId === undefined || view.created?.user_id === userId) &&
        (sessionId === undefined || view.created?.session_id === sessionId) &&
        (statuses.length === 0 || statuses.includes(view.status as TaskStatus)),
    )
    const backwards = !forward && cursor !== undefined
    const expected = backwards ? fitting.slice(-limit) : fitting.slice(0, limit)
    const page = await queries.list(wish)
    assert.ok('tasks' in page)
    assert.deepEqual(
      page.tasks.map(task => task.text),
      expected.map(view => JSON.stringify(taskOf(view))),
      `the list for ${JSON.stringify(wish)}`,
    )
    assert.equal(page.more, fitting.length > limit)
  }
}

/** Every row of a system's read models. */
export const rowsRead = (system: TestSystem): string => {
  system.queries.unfinished() // whoever reads makes sure that all is written
  return dump(system.readStore())
}
/** Every row of read models that were made from nothing. */
export const rowsRebuilt = async (store: Store): Promise<string> => {
  const system = await givenSystem({ store: await storeOf(rowsOf(store)), idle: true })
  const rows = rowsRead(system)
  await system.close()
  return rows
}

/** When a deleted task ended is a test of its own (test/projections/rebuild.test.ts). */
const withoutEnd = (line: string) =>
  line.includes('"deleted":1') ? line.replace(/"ended_at":.*$/, '') : line

const checkRebuild = async (system: TestSystem) => {
  const texts = [rowsRead(system), await rowsRebuilt(system.store)]
  const [live, fresh] = texts.map(text => text.split('\n'))
  const differs = live?.findIndex((line, n) => withoutEnd(line) !== withoutEnd(fresh?.[n] ?? '')) ?? 0
  assert.ok(
    differs === -1 && live?.length === fresh?.length,
    `rebuilt from nothing the read models differ: ${live?.[differs]} is ${fresh?.[differs]}`,
  )
}

/**
 * Plays one seed to its end; throws at the first thing that is not as it must be. With `disks` a write fails now
 * and then, having kept what it was given or not.
 */
export const simulate = async (seed: number, { disks = false } = {}): Promise<Recorded[]> => {
  const random = randomOf(seed)
  // What the checks ask by chance comes from numbers of their own, so that a history does not depend on them.
  const randomOfChecks = randomOf(~seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const ttls =
    random() < 0.5
      ? noTtls
      : { created: 1, queued: pick([0, 1]), working: pick([0, 3]), paused: pick([0, 5]), 'input-required': 1 }
  const limit = pick([0, 0, 1, 2, 3])
  const faults: unknown[] = []
  const { running, inspect } = lastSnapshots()
  // Who is answered while the system goes away hears of its going; that is no fault.
  let closing = false
  const report = (level: string, message: string, fields: unknown) => {
    if (level === 'error' && !closing) faults.push(`${message} ${JSON.stringify(fields)}`)
  }
  const world = testWorld(seed)
  const { tools, happened } = worldOutside(world.timers)
  let disk = failingStore()
  let system = await givenSystem({
    store: disk.store,
    world,
    ttls,
    maxRunningTasks: limit,
    tools,
    report,
    inspect,
  })
  const asked: Promise<unknown>[] = []
  const known: string[] = []
  const ask = (call: () => Promise<unknown>) => {
    const answered = (async () => call())().catch(error => {
      if (error instanceof Refusal || (disks && error instanceof StorageFailure)) return
      if (!closing) faults.push(error)
    })
    asked.push(answered)
  }
  const someTask = () => pick(known)
  const ops: [number, () => unknown][] = [
    [
      6,
      () => {
        const client_tools = [clientTool('ask')]
        const given = { session_id: pick(['s1', 's2', 's3']), user_id: pick(['u1', 'u2']), client_tools }
        const made =
          random() < 0.3
            ? system.create({ ...given, client_id: 'echo' })
            : system.play(randomScript(random), given)
        ask(() => made.then(id => known.push(id)))
      },
    ],
    [2, () => ask(() => system.commands.cancel(admin, someTask(), 'req'))],
    [2, () => ask(() => system.commands.pause(admin, someTask(), 'req'))],
    [3, () => ask(() => system.commands.resume(admin, someTask(), 'req'))],
    [1, () => ask(() => system.commands.remove(admin, someTask(), 'req'))],
    [3, () => ask(() => answer(system, someTask(), random))],
    [1.5, () => ask(() => say(system, someTask(), pick(['stop', 'go on', 'why?'])))],
    [0.5, () => ask(() => system.commands.reward(admin, someTask(), 'req', { value: random() }))],
    [4, () => system.world.advance(pick([1, 49, 50, 51, 250, 1000]))],
    [3, () => settle(Math.floor(random() * 4))],
    [
      2,
      async () => {
        // In a quiet moment, as the sweep does; what a turn under way sees then is a test of its own.
        await quiet(system)
        const stream = `task-${someTask()}`
        system.runtime.passivate(stream)
        await system.runtime.activate(stream)
      },
    ],
    [
      0.7,
      async () => {
        const clean = random() < 0.5
        if (clean) await quiet(system)
        closing = true
        if (clean) system = await restarted(system)
        else {
          disk = failingStore(await storeOf(rowsOf(system.store)))
          system = await restarted(system, { store: disk.store })
        }
        closing = false
      },
    ],
    [disks ? 1.5 : 0, () => disk.failNext(pick(['lost', 'kept']), pick([1, 1, 2]))],
    [0.7, () => check({ system, limit, checkpoints: 0, running }, randomOfChecks)],
  ]
  const total = ops.reduce((sum, [weight]) => sum + weight, 0)
  ops[0]?.[1]()
  await settle()
  for (let n = 0; n < 30; n++) {
    let at = random() * total
    const op = ops.find(([weight]) => {
      at -= weight
      return at < 0
    })
    if (known.length === 0) await settle()
    if (known.length > 0 || op === ops[0]) await op?.[1]()
  }
  await check({ system, limit, checkpoints: 0, running }, randomOfChecks)
  disk.failNext('lost', 0)
  // Whatever waits is resumed once; whatever still waits then is canceled.
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 40 && unfinished(system, ['working', 'queued']).length > 0; n++) {
      await system.world.advance(1000)
    }
    for (const { id } of unfinished(system, ['input-required'])) ask(() => answer(system, id, () => 0))
    for (const { id } of unfinished(system, ['paused'])) {
      ask(() =>
        round === 0 ? system.commands.resume(admin, id, 'req') : system.commands.cancel(admin, id, 'req'),
      )
    }
    await settle()
  }
  const left = ['working', 'queued', 'paused', 'input-required']
  for (let n = 0; n < 40 && unfinished(system, left).length > 0; n++) {
    for (const { id } of unfinished(system, ['paused', 'input-required']))
      ask(() => system.commands.cancel(admin, id, 'req'))
    await system.world.advance(1000)
  }
  await Promise.all(asked)
  await check({ system, limit, checkpoints: 0, running }, randomOfChecks)
  const events = await system.stored()
  for (const [stream, own] of byStream(events)) {
    assert.ok(terminal.has(mustBeLegal(own)), `${stream} has ended`)
    mustFollowChart(own)
    const ends = own.filter(({ header }) => /^Task(Completed|Failed|Canceled|Expired)$/.test(header.type))
    assert.equal(ends.length, 1, 'exactly one terminal fact')
    const spawned = own.filter(({ header }) => header.type === 'AgentSpawned').length
    const agentEnds = own.filter(({ header }) => /^Agent(Completed|Error)$/.test(header.type)).length
    assert.ok(spawned <= 1, 'an agent is spawned once')
    assert.equal(agentEnds, spawned, 'an agent that was spawned ends, once')
  }
  mustNotRepeat(events, happened)
  assert.deepEqual(system.scheduler.counts(), { running: 0, waiting: 0 }, 'every place is given back')
  assert.deepEqual(faults, [])
  await system.close()
  return events
}

const unfinished = ({ queries }: TestSystem, statuses: string[]) =>
  queries.unfinished().filter(({ status }) => statuses.includes(status))

/** Tools that do something outside: what happened is counted, whatever becomes of the systems that asked for it. */
const worldOutside = (timers: Timers) => {
  const happened: string[] = []
  const counts =
    (ms: number) =>
    async ({ effectId, signal }: ToolInput) => {
      happened.push(effectId)
      if (ms > 0) await sleep(timers, ms, signal)
      if (signal.aborted) throw new Error('stopped')
      return { content: effectId }
    }
  const tools = [
    tool('count', { run: counts(0) }),
    tool('slow', { run: counts(700) }),
    tool('read', { safe: true }),
  ]
  return { tools, happened }
}

/** An effect outside happens at most as often as the log says that it was meant to. */
const mustNotRepeat = (events: Recorded[], happened: string[]) => {
  const meant = events.flatMap(({ header, data }) =>
    header.type === 'EffectIntended' ? [(data as { effect_id: string }).effect_id] : [],
  )
  const times = (list: string[], id: string) => list.filter(other => other === id).length
  for (const id of new Set(happened)) {
    assert.ok(times(happened, id) <= times(meant, id), `${id} happened ${times(happened, id)} times`)
  }
}

/** Answers what a task waits for: each call by itself, or all with a create. */
const answer = async (system: TestSystem, taskId: string, random: () => number): Promise<unknown> => {
  const { session_id, user_id, metadata } = system.get(taskId)
  const calls: { call_id: string }[] = metadata?.pending_inputs ?? []
  const content = random() < 0.9 ? 'yes' : 'no'
  if (random() < 0.5) {
    const answers = calls.map(({ call_id: callId }) => {
      return { callId, itemId: system.world.ids.next('tr_'), content, blocks: [] }
    })
    return answers.length === 0 ? undefined : system.commands.input(admin, taskId, 'req', answers)
  }
  const history_messages = calls.map(({ call_id }) => {
    return { type: 'tool_result' as const, call_id, message_content: content, block_list: [] }
  })
  const same = random() < 0.5 ? { task_id: taskId } : { client_id: 'echo' }
  if (calls.length === 0) return undefined
  return system.create({ session_id, user_id, history_messages, user_message_content: '', ...same })
}

const say = (system: TestSystem, taskId: string, content: string): Promise<unknown> => {
  const call = { key: undefined, isRetry: false }
  return system.commands.message(admin, taskId, 'req', content, call)
}
