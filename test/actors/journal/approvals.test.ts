// A server killed before and after every commit of a call that somebody approves, edits or refuses: the decision counts once, and
// the call runs once or never.
import t from 'tap'
import type { Context } from '../../../library/agent/types.ts'
import type { Task } from '../../../src/contract/wire.ts'
import { admin, quiet, type TestSystem } from '../../support/system.ts'
import { tasksIn } from './checks.ts'
import { killedEverywhere, rested } from './kills.ts'

const steps = [
  { tools: [{ tool: 'pay', arguments: { n: 1 } }, { tool: 'note' }, { tool: 'ship' }] },
  { message: 'got $result' },
]
const begin = (system: TestSystem) =>
  system.create(
    {
      agent_config: { agent_id: 'script', script: steps, approve: ['p*y', 'ship'] },
    },
    { key: 'one' },
  )

const firstTask = async (system: TestSystem): Promise<Task | undefined> => {
  const [taskId] = await tasksIn(system)
  return taskId === undefined ? undefined : (system.get(taskId) as Task)
}

/** Decides about both calls, as often as this is asked; only when the task got so far. */
const decide = async (system: TestSystem) => {
  await begin(system)
  await rested(system)
  for (const [name, decision] of [
    ['pay', { decision: 'approve', arguments: '{"n":2}' }],
    ['ship', { decision: 'refuse', reason: 'not today' }],
  ] as const) {
    const task = await firstTask(system)
    const call = task?.output.find(item => item.type === 'tool_call' && item.name === name)
    if (task === undefined || call?.type !== 'tool_call' || task.status === 'paused') return
    await system.commands.decideApproval(admin, task.id, 'req_decide', call.call_id, decision)
    await rested(system)
  }
}

t.test('killed around decisions, the approved call runs once and the refused one never', async t => {
  await killedEverywhere(t, decide, {
    again: decide,
    everyCommit: true,
    ends: ['completed', 'input-required'],
    async also(t, at, _tasks, outside, system) {
      // A person was asked about the tool before the second decision could be taken.
      await decide(system)
      await rested(system)
      const task = (await firstTask(system)) as Task
      t.equal(task.status, 'completed', at)
      t.same(
        outside.happened.filter(({ tool }) => tool === 'ship'),
        [],
        `${at}: a refused call does not run`,
      )
      const facts = await system.factsOf(task.id)
      t.equal(facts.filter(type => type === 'ApprovalDecided').length, 2, `${at}: each is decided once`)
      const [pay] = task.output.filter(item => item.type === 'tool_call')
      t.match(pay, { name: 'pay', arguments: '{"n":2}' }, `${at}: the item shows what ran`)
      t.match(JSON.stringify(task.output), /refused by admin: not today/, at)
    },
  })
})

t.test('killed around an approval in the task of a subagent, its caller gets the result', async t => {
  const child = JSON.stringify([{ tool: 'pay' }, { message: 'paid' }])
  const script = [{ subagent: 'script', input: child }, { message: 'it said $result' }]
  const create = (system: TestSystem) =>
    system.create({ agent_config: { agent_id: 'script', script, approve: ['pay'] } }, { key: 'one' })
  const approve = async (system: TestSystem) => {
    await create(system)
    await rested(system)
    const root = await firstTask(system)
    const waiting = root?.input_required
    if (root === undefined || waiting === undefined) return
    t.match(waiting, { name: 'pay', metadata: { approval: true } })
    const { call_id } = waiting
    await system.commands.decideApproval(admin, root.id, 'req_decide', call_id, { decision: 'approve' })
    await quiet(system)
  }
  await killedEverywhere(t, approve, {
    again: approve,
    everyCommit: true,
    unsafe: 1,
    async also(t, at, tasks) {
      t.match(JSON.stringify(tasks[0]?.output), /it said paid/, at)
    },
  })
})

t.test('killed around an approval of a call of a user’s agent', async t => {
  const create = (system: TestSystem) =>
    system.create({ agent_config: { agent_id: 'mine', approve: ['pay', 'agent:helper'] } }, { key: 'one' })
  const approve = async (system: TestSystem) => {
    await create(system)
    for (let n = 0; n < 3; n++) {
      await rested(system)
      const task = await firstTask(system)
      const call = task?.input_required
      if (task === undefined || call === undefined) return
      const decided =
        call.name === 'agent_helper'
          ? { decision: 'approve' as const, arguments: '{"input":"help"}' }
          : { decision: 'approve' as const }
      await system.commands.decideApproval(admin, task.id, 'req_decide', call.call_id, decided)
    }
    await rested(system)
  }
  await killedEverywhere(t, approve, {
    agents: () => ({
      mine: async (ctx: Context) => {
        const [paid, helped] = await Promise.all([ctx.tool('pay'), ctx.agent('helper', 'nothing')])
        return `${paid}, ${helped}`
      },
      helper: async (ctx: Context) => `asked to ${ctx.input.text}`,
    }),
    again: approve,
    everyCommit: true,
    ends: ['completed', 'input-required'],
    async also(t, at, _tasks, _outside, system) {
      // A person was asked about the tool before the second approval.
      await approve(system)
      t.match(JSON.stringify((await firstTask(system))?.output), /(pay|it was) done, asked to help/, at)
    },
  })
})
