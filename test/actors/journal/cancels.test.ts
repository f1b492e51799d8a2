// A server killed at every point of a cancel: it goes on canceling, everything stops, and there is one end.
import t, { type Test } from 'tap'
import type { TaskEventData } from '../../../src/contract/events/task-events.ts'
import type { ScriptStep, Task } from '../../../src/contract/wire.ts'
import { openCalls } from '../../../src/history/task/calls.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import { eventsOf, framesOf } from '../../history/told.ts'
import { admin, crashed, givenSystem, noTtls, quiet, refused, type TestSystem } from '../../support/system.ts'
import { clientTool } from '../../support/tools.ts'
import { settle, testWorld } from '../../support/world.ts'
import { problemsIn, tasksIn } from './checks.ts'
import { rested, type Snapshot, shown, takenUp, told } from './kills.ts'
import { outsideWorld, unsafeCounts } from './outside.ts'

const child = (...steps: ScriptStep[]): ScriptStep => ({ subagent: 'script', input: JSON.stringify(steps) })
const receiptsOf = async (system: TestSystem, taskId: string) =>
  (await eventsOf(system, taskId)).flatMap(({ header, data }) =>
    header.type === 'EffectStopped' ? [data as TaskEventData<'EffectStopped'>] : [],
  )
const given = async () => {
  const world = testWorld()
  const outside = outsideWorld()
  return { outside, system: await givenSystem({ world, tools: outside.tools(world) }) }
}
/** Cancels without waiting for it; the clock is the caller's. */
const cancel = (system: TestSystem, taskId: string): Promise<DecidedTask> => {
  const over = system.commands.cancel(admin, taskId, 'req_cancel', 'enough')
  over.catch(() => {})
  return over
}

type Kind = { steps: ScriptStep[]; after: number; asks?: boolean }
const kinds: Record<string, Kind> = {
  'a tool': { steps: [{ tool: 'hang' }, { message: 'never' }], after: 100 },
  'a tool that does not hear': { steps: [{ tool: 'deaf' }, { message: 'never' }], after: 100 },
  'a tool of a child': { steps: [child({ tool: 'hang' }), { message: 'never' }], after: 100 },
  'a deaf tool of a child of a child': {
    steps: [child(child({ tool: 'deaf' })), { message: 'never' }],
    after: 100,
  },
  'a step of a child': { steps: [child({ sleep_ms: 100_000 }), { message: 'never' }], after: 100 },
  'four calls at once': {
    steps: [
      {
        tools: [
          { tool: 'hang', arguments: {} },
          { tool: 'deaf', arguments: {} },
          { tool: 'note', arguments: {} },
          { tool: 'agent_script', arguments: { input: JSON.stringify([{ tool: 'hang' }]) } },
        ],
      },
      { message: 'never' },
    ],
    after: 100,
  },
  'a wait for the client': { steps: [{ tool: 'ask' }, { message: 'never' }], after: 100 },
}

/** From a snapshot a cancel that was asked for goes on by itself; one that was not stored is asked for again. */
const goneOn = async (t: Test, snapshot: Snapshot) => {
  const { at } = snapshot
  const { system, outside } = await takenUp(snapshot)
  const [taskId] = await tasksIn(system)
  if (taskId === undefined) return system.close()
  const asked = (await system.factsOf(taskId)).includes('CancelRequested')
  if (asked) t.equal((system.get(taskId) as Task).status, 'canceled', `${at}: by itself`)
  const again = await Promise.all([cancel(system, taskId), cancel(system, taskId), rested(system)])
  t.equal(again[0].status, 'canceled', at)
  t.equal(again[1].status, 'canceled', at)
  for (const task of await shown(system)) t.equal(task.status, 'canceled', `${at}: ${task.id}`)
  t.same(await problemsIn(system), [], at)
  for (const [effectId, count] of unsafeCounts(outside)) t.equal(count, 1, `${at}: ${effectId} once`)
  const facts = await system.factsOf(taskId)
  t.equal(facts.filter(type => type === 'CancelRequested').length, 1, `${at}: one wish`)
  await system.close()
}

for (const [name, { steps, after }] of Object.entries(kinds)) {
  t.test(
    `killed around a cancel during ${name}, it is canceled once and nothing is left running`,
    async t => {
      const snapshots = await told(async (system, outside) => {
        const taskId = await system.play(steps, { client_tools: [clientTool('ask')] })
        await system.world.advance(after)
        const view = system.get(taskId) as Task
        t.ok(view.status === 'working' || view.status === 'input-required')
        const openBefore: { taskId: string; effects: string[] }[] = []
        for (const each of system.runtime.views()) {
          const effects = openCalls(each).map(({ effect }) => effect.id)
          openBefore.push({ taskId: each.created?.task_id ?? '', effects })
        }
        const over = cancel(system, taskId)
        await system.world.advance(1000)
        t.equal((system.get(taskId) as Task).status, 'canceled', 'within a second')
        await over
        for (const task of await shown(system)) t.equal(task.status, 'canceled', 'with its children')
        for (const { taskId: each, effects } of openBefore) {
          const receipts = await receiptsOf(system, each)
          const ids = receipts.map(({ effect_id }) => effect_id)
          t.equal(new Set(ids).size, ids.length, 'one receipt each')
          for (const effect of effects) t.ok(ids.includes(effect), `a receipt for ${effect}`)
          for (const { effect_id, stopped } of receipts) {
            const begun = outside.begun.find(({ effectId }) => effectId === effect_id)
            t.equal(stopped, begun?.tool !== 'deaf', `${begun?.tool ?? 'another'}: stopped ${stopped}`)
          }
        }
        const left = outside.begun.filter(({ tool, run }) => {
          return tool === 'hang' && !outside.stopped.some(one => one.run === run)
        })
        t.same(left, [], 'the tools really stopped')
        t.same(await problemsIn(system), [])
      })
      for (const snapshot of snapshots) await goneOn(t, snapshot)
    },
  )
}

t.test('killed around a cancel before the start, it never starts', async t => {
  const snapshots = await told(async system => {
    await system.play([{ sleep_ms: 300 }], { session_id: 's1' })
    const second = await system.play([{ tool: 'pay' }], { session_id: 's1' })
    await cancel(system, second)
  })
  for (const snapshot of snapshots) {
    const { system, outside } = await takenUp(snapshot)
    const [, second] = await tasksIn(system)
    const asked = second !== undefined && (await system.factsOf(second)).includes('CancelRequested')
    if (asked) t.same(outside.happened, [], `${snapshot.at}: never started`)
    t.same(await problemsIn(system), [], snapshot.at)
    await system.close()
  }
})

t.test(
  'a cancel that meets the result of a tool at any moment leaves one end and a result at most once',
  async t => {
    const ends = new Set<string>()
    for (const steps of [[{ tool: 'pay' }, { message: 'on' }], [child({ tool: 'pay' })]]) {
      for (let turns = 0; turns < 30; turns++) {
        const { system, outside } = await given()
        const taskId = await system.play(steps)
        await system.world.advance(20)
        const time = system.world.advance(10)
        await settle(turns)
        const over = cancel(system, taskId).then(
          view => view.status,
          (error: { code: number }) => error.code,
        )
        await time
        await rested(system)
        const { status } = system.get(taskId) as Task
        const answer = await over
        t.equal(answer, status === 'canceled' ? 'canceled' : -32002, `after ${turns} turns`)
        t.same(await problemsIn(system), [], `after ${turns} turns`)
        t.equal(outside.happened.length, 1, `after ${turns} turns: it happened once`)
        ends.add(status)
        await system.close()
      }
    }
    t.same([...ends].sort(), ['canceled', 'completed'], 'both were met')
  },
)

t.test('a result that comes while a task is being canceled is recorded, and moves nothing', async t => {
  const { system } = await given()
  const taskId = await system.play([{ tool: 'slow' }, { message: 'never' }])
  await system.world.advance(100)
  const over = cancel(system, taskId)
  await system.world.advance(999)
  t.equal((await over).status, 'canceled')
  const facts = await system.factsOf(taskId)
  t.same(facts.slice(facts.indexOf('CancelRequested')), [
    'CancelRequested',
    'EffectCompleted',
    'EffectStopped',
    'AgentCompleted',
    'TaskCanceled',
  ])
  t.match(await receiptsOf(system, taskId), [{ stopped: true }])
  t.same(await problemsIn(system), [])
  await system.close()
})

t.test('a child that is canceled alone is told to its caller, who goes on', async t => {
  const { system } = await given()
  const taskId = await system.play([child({ tool: 'hang' }), { message: 'got $result' }])
  await system.world.advance(100)
  const [, childId = ''] = await tasksIn(system)
  await Promise.all([cancel(system, childId), rested(system)])
  const task = system.get(taskId) as Task
  t.equal(task.status, 'completed')
  t.match(JSON.stringify(task.output.at(-1)), /ended canceled/)
  t.same(await problemsIn(system), [])
  await system.close()
})

t.test('a child that is deleted alone is told to its caller, who goes on', async t => {
  const { system } = await given()
  const taskId = await system.play([child({ tool: 'hang' }), { message: 'got $result' }])
  await system.world.advance(100)
  const [, childId = ''] = await tasksIn(system)
  await Promise.all([system.commands.remove(admin, childId, 'req'), rested(system)])
  t.equal((system.get(taskId) as Task).status, 'completed')
  await system.close()
})

t.test('the caller of a child that asks is canceled, and so is the child', async t => {
  const snapshots = await told(async system => {
    await system.play([child({ tool: 'pay' }), { message: 'on' }])
  })
  const during = snapshots.find(({ at }) => at.includes('pay during'))
  if (during === undefined) throw new Error('no such point')
  const { system } = await takenUp(during)
  const [taskId = '', childId = ''] = await tasksIn(system)
  t.match(system.get(childId), { status: 'paused', metadata: { reason: 'outcome_unknown' } })
  t.equal((system.get(taskId) as Task).status, 'working')
  await Promise.all([cancel(system, taskId), rested(system)])
  t.equal((system.get(taskId) as Task).status, 'canceled')
  t.equal((system.get(childId) as Task).status, 'canceled')
  t.same(await problemsIn(system), [])
  await system.close()
})

/** A task that is paused while the task of its subagent waits for an approval. */
const pausedBeside = async (ttls = noTtls) => {
  const world = testWorld()
  const outside = outsideWorld()
  const system = await givenSystem({ world, ttls, tools: outside.tools(world) })
  const steps = [child({ sleep_ms: 500 }, { tool: 'pay' }), { message: 'on' }]
  const taskId = await system.create({
    agent_config: { agent_id: 'script', script: steps, approve: ['pay'] },
  })
  await system.world.advance(100)
  await system.commands.pause(admin, taskId, 'req')
  await system.world.advance(1000)
  await quiet(system)
  const [, childId = ''] = await tasksIn(system)
  return { system, outside, taskId, childId }
}

const ends = ['cancel', 'delete', 'expiry'] as const
for (const how of ends) {
  for (const isRestarted of [false, true]) {
    const when = isRestarted ? ', also after a restart' : ''
    t.test(`the ${how} of a paused caller ends the task of its subagent${when}`, async t => {
      const before = await pausedBeside(how === 'expiry' ? { ...noTtls, paused: 60 } : noTtls)
      const { taskId, childId, outside } = before
      t.match(before.system.get(taskId), { status: 'paused', metadata: { reason: 'pause_requested' } })
      t.equal((before.system.get(childId) as Task).status, 'input-required')
      const { call_id } = (before.system.get(childId) as { input_required: { call_id: string } })
        .input_required
      const system = isRestarted ? await crashed(before.system) : before.system
      if (how === 'expiry') await system.world.advance(62_000)
      else {
        const verb = how === 'delete' ? 'remove' : 'cancel'
        await Promise.all([system.commands[verb](admin, taskId, 'req'), rested(system)])
      }
      await rested(system)
      if (how !== 'delete')
        t.equal((system.get(taskId) as Task).status, how === 'cancel' ? 'canceled' : 'expired')
      t.match(system.get(childId), { status: 'canceled', metadata: { reason: 'caller_ended' } })
      await t.rejects(
        system.commands.decideApproval(admin, childId, 'req', call_id, { decision: 'approve' }),
        refused('WrongState'),
      )
      t.same(outside.happened, [], 'its tool never runs')
      const moves = (await system.factsOf(taskId)).filter(type =>
        /^Task(Paused|Resumed|Canceled|Expired)$/.test(type),
      )
      t.same(
        moves,
        how === 'expiry' ? ['TaskPaused', 'TaskExpired'] : ['TaskPaused', 'TaskResumed', 'TaskCanceled'],
      )
      t.same(await problemsIn(system), [])
      await system.close()
    })
  }
}

t.test('the cancel of a fork that does not run ends the copy of its subagent', async t => {
  const { system } = await given()
  const taskId = await system.play([child({ sleep_ms: 600_000 }), { message: 'on' }])
  await system.world.advance(100)
  const at = (await framesOf(system, taskId)).length - 1
  const forked = await system.commands.fork(
    admin,
    taskId,
    'req',
    { at, run: false },
    { key: undefined, isRetry: false },
  )
  const forkId = 'made' in forked ? String(forked.made.created?.task_id) : ''
  const copies = (await tasksIn(system)).filter(
    id => (system.get(id) as Task).metadata?.parent_task_id === forkId,
  )
  t.equal(copies.length, 1)
  await Promise.all([system.commands.cancel(admin, forkId, 'req'), rested(system)])
  t.equal((system.get(forkId) as Task).status, 'canceled')
  t.equal((system.get(copies[0] ?? '') as Task).status, 'canceled')
  t.equal((system.get(taskId) as Task).status, 'working', 'the task itself goes on')
  await system.close()
})

for (const how of ['cancel', 'delete'] as const) {
  t.test(`a task whose outcome nobody knows can end by ${how}, and nothing runs again`, async t => {
    const snapshots = await told(async system => {
      await system.play([{ tool: 'pay' }, { message: 'on' }])
    })
    const during = snapshots.find(({ at }) => at.includes('pay during'))
    if (during === undefined) throw new Error('no such point')
    const { system, outside } = await takenUp(during)
    const [taskId = ''] = await tasksIn(system)
    const task = system.get(taskId) as Task
    t.match(task, { status: 'paused', metadata: { reason: 'outcome_unknown' } })
    const { call_id } = (task.metadata as { effect: { call_id: string } }).effect
    if (how === 'cancel') await cancel(system, taskId)
    if (how === 'delete') await system.commands.remove(admin, taskId, 'req')
    await rested(system)
    t.equal(outside.happened.length, 1)
    t.same(await problemsIn(system), [])
    const late = [{ callId: call_id, itemId: 'tr_late', content: 'x', blocks: [] }]
    if (how === 'delete') t.throws(() => system.get(taskId), refused('TaskNotFound'))
    else {
      t.equal((system.get(taskId) as Task).status, 'canceled')
      await t.rejects(system.commands.resume(admin, taskId, 'req'), refused('WrongState'))
    }
    await t.rejects(async () => system.commands.input(admin, taskId, 'req', late))
    await quiet(system)
    await system.close()
  })
}
