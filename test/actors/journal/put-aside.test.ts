// Calls outlive the actor that made them, and answers may come before they are asked for.
import t from 'tap'
import type { ScriptStep, Task } from '../../../src/contract/wire.ts'
import { admin, givenSystem, quiet, restarted, type TestSystem } from '../../support/system.ts'
import { clientTool } from '../../support/tools.ts'
import { settle, testWorld } from '../../support/world.ts'
import { problemsIn, tasksIn } from './checks.ts'
import { byResume, killedEverywhere, rested, takenUp, told } from './kills.ts'
import { outsideWorld } from './outside.ts'

const child = (...steps: ScriptStep[]): ScriptStep => ({ subagent: 'script', input: JSON.stringify(steps) })
const given = async () => {
  const world = testWorld()
  const outside = outsideWorld()
  return { world, outside, system: await givenSystem({ world, tools: outside.tools(world) }) }
}

for (const [name, steps] of Object.entries({
  'a tool': [{ tool: 'pay' }, { message: 'got $result' }],
  'a child': [child({ tool: 'pay' }, { message: 'mine' }), { message: 'got $result' }],
} satisfies Record<string, ScriptStep[]>)) {
  t.test(
    `an actor that is put away at any moment of ${name} finds its calls again; none runs twice`,
    async t => {
      for (let turns = 0; turns < 40; turns++) {
        const { world, outside, system } = await given()
        const taskId = await system.play(steps)
        const time = turns < 20 ? Promise.resolve() : world.advance(30)
        await settle(turns % 20)
        for (const id of await tasksIn(system)) system.runtime.passivate(`task-${id}`)
        await time
        await rested(system)
        for (const id of await tasksIn(system)) await system.runtime.activate(`task-${id}`)
        await rested(system)
        // An intent that was being stored has nobody any more who knows that its call never began.
        if (outside.begun.length === 0) await byResume(system)
        t.equal((system.get(taskId) as Task).status, 'completed', `after ${turns} turns`)
        t.equal(outside.begun.length, 1, `after ${turns} turns: once`)
        t.same(await problemsIn(system), [], `after ${turns} turns`)
        await system.close()
      }
    },
  )
}

t.test('an actor put away while it writes, and taken up at once, does not stand still', async t => {
  for (let turns = 0; turns < 8; turns++) {
    const { outside, system } = await given()
    const taskId = await system.play([{ message: 'one' }, { tool: 'note' }, { message: 'two' }])
    for (let n = 0; n < turns; n++) await Promise.resolve()
    system.runtime.passivate(`task-${taskId}`)
    await system.runtime.activate(`task-${taskId}`)
    await rested(system)
    t.equal((system.get(taskId) as Task).status, 'completed', `after ${turns} turns`)
    t.equal(outside.begun.length, 1, `after ${turns} turns: once`)
    await system.close()
  }
})

t.test('a caller that has left memory hears of its child, whenever it ends', async t => {
  const { world, system } = await given()
  const taskId = await system.play([
    child({ sleep_ms: 300_000 }, { message: 'late' }),
    { message: 'got $result' },
  ])
  await world.advance(290_000)
  const inMemory = [...system.runtime.views()].map(view => view.created?.task_id)
  t.notOk(inMemory.includes(taskId), 'the caller has left memory')
  await world.advance(20_000)
  t.match(system.get(taskId), { status: 'completed' })
  t.same(await problemsIn(system), [])
  await system.close()
})

t.test('a caller that has left memory is canceled with its child', async t => {
  const { world, outside, system } = await given()
  const taskId = await system.play([child({ tool: 'hang' }), { message: 'never' }])
  await world.advance(290_000)
  const over = system.commands.cancel(admin, taskId, 'req')
  await world.advance(1000)
  t.equal((await over).status, 'canceled')
  for (const id of await tasksIn(system)) t.equal((system.get(id) as Task).status, 'canceled')
  t.equal(outside.stopped.length, 1)
  t.same(await problemsIn(system), [])
  await system.close()
})

t.test('a server that is stopped in order leaves a call as one that is killed does', async t => {
  const { outside, world, system } = await given()
  const taskId = await system.play([{ tool: 'hang' }, { message: 'on' }])
  await world.advance(100)
  const again = await restarted(system)
  await quiet(again)
  t.equal(outside.stopped.length, 1, 'the tool was told to stop')
  t.match(again.get(taskId), { status: 'paused', metadata: { reason: 'outcome_unknown' } })
  t.equal(outside.begun.length, 1)
  await again.close()
})

const both: ScriptStep[] = [
  {
    tools: [
      { tool: 'ask', arguments: {} },
      { tool: 'pay', arguments: {} },
    ],
  },
  { message: 'got $result' },
]
const early = async (system: TestSystem) => {
  const [taskId] = await tasksIn(system)
  if (taskId === undefined) return
  const task = system.get(taskId) as Task
  const call = task.output.find(item => item.type === 'tool_call' && item.name === 'ask')
  if (call?.type !== 'tool_call') return
  const answer = { callId: call.call_id, itemId: 'tr_early', content: 'yes', blocks: [] }
  await system.commands.input(admin, taskId, 'req', [answer])
}

t.test('killed around an answer that comes before it is asked for, it counts once', async t => {
  const { asked } = await killedEverywhere(
    t,
    async system => {
      await system.play(both, { client_tools: [clientTool('ask')] })
      await system.world.advance(10)
      await early(system)
    },
    {
      again: early,
      unsafe: 1,
      async also(t, at, tasks) {
        const results = tasks[0]?.output.filter(({ type }) => type === 'tool_result')
        t.equal(results?.length, 2, `${at}: both calls have their result`)
      },
    },
  )
  t.ok(asked.length >= 3)
})

t.test('with a call unknown and another at the client, both ways and orders come to the end', async t => {
  const snapshots = await told(async system => {
    await system.play(both, { client_tools: [clientTool('ask')] })
  })
  const during = snapshots.find(({ at }) => at.includes('pay during'))
  if (during === undefined) throw new Error('no such point')
  for (const order of ['early, resume', 'early, result', 'resume, early', 'result, early', 'both at once']) {
    const { system, outside } = await takenUp(during)
    const [taskId = ''] = await tasksIn(system)
    const task = system.get(taskId) as Task
    const { call_id } = (task.metadata as { effect: { call_id: string } }).effect
    const found = { callId: call_id, itemId: 'tr_found', content: 'it was', blocks: [] }
    for (const what of order.split(', ')) {
      if (what === 'early') await early(system)
      if (what === 'resume') await system.commands.resume(admin, taskId, 'req')
      if (what === 'result') await system.commands.input(admin, taskId, 'req', [found])
      if (what === 'both at once') {
        const ask = task.output.find(item => item.type === 'tool_call' && item.name === 'ask')
        const callId = ask?.type === 'tool_call' ? ask.call_id : ''
        await system.commands.input(admin, taskId, 'req', [found, { ...found, callId, itemId: 'tr_ask' }])
      }
      await rested(system)
    }
    t.equal((system.get(taskId) as Task).status, 'completed', order)
    t.equal(outside.happened.length, order.includes('resume') ? 2 : 1, order)
    t.same(await problemsIn(system), [], order)
    await system.close()
  }
})
