// Kills a story at every named point: what was stored then, and what had happened outside, is given to a new
// system, which goes on from there.
import type { Test } from 'tap'
import { StorageFailure } from '../../../src/contract/stored.ts'
import type { Task } from '../../../src/contract/wire.ts'
import { memoryStore } from '../../../src/log/memory-store.ts'
import type { Row, Store } from '../../../src/log/store.ts'
import { admin, givenSystem, quiet, rowsOf, storeOf, type TestSystem } from '../../support/system.ts'
import { testWorld } from '../../support/world.ts'
import { hostsHere } from '../code/hosts-here.ts'
import { problemsIn, tasksIn } from './checks.ts'
import { type Happened, type Outside, outsideWorld, unsafeCounts } from './outside.ts'

export type Snapshot = { at: string; rows: Row[]; happened: Happened[] }
/** A story is told to a system by its client; it may wait, cancel, answer. */
export type Story = (system: TestSystem, outside: Outside) => Promise<void>

const later = Date.parse('2026-01-01T01:00:00.000Z')
let marks = 0

/** Agents that are code, which act in the world outside. */
export type Coded = (outside: Outside) => Record<string, unknown>
const coded = (agents: Coded | undefined, outside: Outside) =>
  agents === undefined ? {} : { codeAgents: hostsHere(agents(outside)).served }

/** Tells a story and keeps what there is at every point it passes; `everyCommit`: before and after each commit. */
export const told = async (story: Story, everyCommit = false, agents?: Coded): Promise<Snapshot[]> => {
  const inner = memoryStore()
  const store: Store = {
    ...inner,
    async write(batch) {
      if (everyCommit) keep('before a commit')
      await inner.write(batch)
      if (everyCommit) keep('after a commit')
    },
  }
  const outside = outsideWorld()
  const world = testWorld()
  const snapshots: Snapshot[] = []
  const keep = (at: string) => {
    const happened = outside.happened.map(each => ({ ...each }))
    snapshots.push({ at: `${snapshots.length}: ${at}`, rows: rowsOf(store), happened })
  }
  const system = await givenSystem({
    world,
    store,
    tools: outside.tools(world),
    ...coded(agents, outside),
    ...(everyCommit ? {} : { reach: (point, of, name) => keep(`${of} ${name ?? ''} ${point}`) }),
  })
  await story(system, outside)
  await rested(system)
  keep('the end')
  await system.close()
  return snapshots
}

/** Lets everything run until nothing more comes by itself. */
export const rested = async (system: TestSystem): Promise<void> => {
  for (let still = 0, head = -1; still < 3; ) {
    await system.world.advance(1000)
    await quiet(system)
    still = system.log.head() === head ? still + 1 : 0
    head = system.log.head()
  }
}

/** A system that starts from a snapshot. */
export const takenUp = async ({ rows, happened }: Snapshot, agents?: Coded) => {
  const world = testWorld(2, later, `k${++marks}`)
  const outside = outsideWorld(happened.map(each => ({ ...each })))
  const store = await storeOf(rows)
  const system = await givenSystem({ world, store, tools: outside.tools(world), ...coded(agents, outside) })
  await rested(system)
  return { system, outside }
}

type Effect = { effect_id: string; call_id: string; name: string }
const effectOf = (task: Task) => (task.metadata as { effect?: Effect } | undefined)?.effect

/** Every task as GET shows it, subagents' included. */
export const shown = async (system: TestSystem): Promise<Task[]> =>
  (await tasksIn(system)).map(taskId => system.get(taskId) as Task)
export const unknownOutcomes = (tasks: Task[]): Task[] =>
  tasks.filter(task => task.status === 'paused' && task.metadata?.reason === 'outcome_unknown')

const answerFor = (effect: Effect, content: string) => [
  { callId: effect.call_id, itemId: `tr_by-hand-${effect.call_id}`, content, blocks: [] },
]

/** A person says: once more; again when that could not be stored. */
export const byResume = async (system: TestSystem): Promise<void> => {
  for (let n = 0; n < 10; n++) {
    const waiting = unknownOutcomes(await shown(system))
    if (waiting.length === 0) return
    for (const { id } of waiting) await system.commands.resume(admin, id, 'req_resume').catch(notStored)
    await rested(system)
  }
}

const notStored = (error: unknown): void => {
  if (!(error instanceof StorageFailure)) throw error
}

/** A person looked, and says what came out; says it again; somebody else says something else. */
export const byResult = async (t: Test, at: string, system: TestSystem): Promise<void> => {
  for (let n = 0; n < 10; n++) {
    const waiting = unknownOutcomes(await shown(system))
    if (waiting.length === 0) return
    for (const task of waiting) {
      const effect = effectOf(task)
      if (effect === undefined) return
      const give = (content: string) =>
        system.commands.input(admin, task.id, 'req_input', answerFor(effect, content))
      await give('I looked: it was done')
      await quiet(system)
      const facts = (await system.factsOf(task.id)).filter(type => type === 'InputAccepted').length
      await give('I looked: it was done')
      await t.rejects(give('no it was not'), { reason: 'AlreadyAnswered', code: -32022 }, at)
      const again = (await system.factsOf(task.id)).filter(type => type === 'InputAccepted').length
      t.equal(again, facts, `${at}: the same answer again stores nothing`)
    }
    await rested(system)
  }
}

export type Told = {
  snapshots: Snapshot[]
  /** How often a person was needed, by point. */
  asked: string[]
}

/**
 * Goes on from every snapshot. `again`: what the client, who saw no answer, sends once more. `ends`: how every
 * task may end. `unsafe`: how many calls happen that must not be repeated, when all goes well.
 */
export const killedEverywhere = async (
  t: Test,
  story: Story,
  {
    again = async () => {},
    ends = ['completed'],
    unsafe = 0,
    everyCommit = false,
    also = () => {},
    agents,
  }: {
    again?: (system: TestSystem) => Promise<unknown>
    ends?: string[]
    unsafe?: number
    everyCommit?: boolean
    also?: (t: Test, at: string, tasks: Task[], outside: Outside, system: TestSystem) => unknown
    agents?: Coded
  },
): Promise<Told> => {
  const snapshots = await told(story, everyCommit, agents)
  const asked: string[] = []
  for (const snapshot of snapshots) {
    const { at } = snapshot
    for (const way of ['resume', 'result'] as const) {
      const { system, outside } = await takenUp(snapshot, agents)
      await again(system)
      await rested(system)
      t.same(await problemsIn(system), [], at)
      for (const [effectId, count] of unsafeCounts(outside)) {
        if (count > 1) t.equal(count, 1, `${at}: ${effectId} once`)
      }
      const waiting = unknownOutcomes(await shown(system))
      const alone = waiting.length === 0
      if (!alone && way === 'resume') asked.push(at)
      for (const task of waiting) {
        const effect = effectOf(task)
        const call = task.output.find(item => item.type === 'tool_call' && item.call_id === effect?.call_id)
        t.match(effect, { effect_id: String, call_id: String, name: String }, `${at}: the effect is named`)
        const isOfCode = effect?.name.startsWith('run:') // only the code sees it
        t.ok(call ?? isOfCode, `${at}: the call of the effect is in the output`)
      }
      const before = unsafeCounts(outside)
      if (way === 'resume') await byResume(system)
      else await byResult(t, at, system)
      const tasks = await shown(system)
      const open = tasks.filter(task => !ends.includes(task.status))
      t.same(
        open.map(({ id, status, metadata, error }) => ({ id, status, metadata, error })),
        [],
        `${at}: ended`,
      )
      t.same(await problemsIn(system), [], `${at}: after ${way}`)
      const counts = unsafeCounts(outside)
      if (alone && ends.length === 1 && ends[0] === 'completed') {
        const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
        t.equal(total, unsafe, `${at}: everything happened exactly once`)
      }
      if (!alone && way === 'result')
        t.ok(
          [...before].every(([id, count]) => counts.get(id) === count),
          at,
        )
      await also(t, at, tasks, outside, system)
      await system.close()
      if (alone) break // no person was needed: the two ways are one
    }
  }
  return { snapshots, asked }
}
