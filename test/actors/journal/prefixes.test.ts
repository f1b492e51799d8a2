// A server killed before and after each of its commits, over one long story with everything in it.
import t from 'tap'
import type { ScriptStep, Task } from '../../../src/contract/wire.ts'
import { admin, quiet, type TestSystem } from '../../support/system.ts'
import { clientTool } from '../../support/tools.ts'
import { tasksIn } from './checks.ts'
import { killedEverywhere, rested } from './kills.ts'

const inner = (...steps: ScriptStep[]) => JSON.stringify(steps)
const story: ScriptStep[] = [
  { message: 'one two three', delta_ms: 60 },
  { tool: 'pay' },
  {
    tools: [
      { tool: 'note', arguments: {} },
      { tool: 'ask', arguments: {} },
      { tool: 'ship', arguments: {} },
      {
        tool: 'agent_script',
        arguments: { input: inner({ tool: 'note' }, { message: 'mine', delta_ms: 60 }) },
      },
    ],
  },
  {
    subagent: 'script',
    input: inner({ subagent: 'script', input: inner({ tool: 'pay' }) }, { message: 'deep' }),
  },
  {
    tools: [
      { tool: 'ask', arguments: {} },
      { tool: 'nowhere', arguments: {} },
    ],
  },
  { message: 'four five', delta_ms: 60 },
  { tool: 'ship' },
]

/** What a client does that looks at its task and answers what it is asked. */
const answering = async (system: TestSystem) => {
  const [taskId] = await tasksIn(system)
  if (taskId === undefined) return
  for (let n = 0; n < 3; n++) {
    await rested(system)
    const task = system.get(taskId) as Task
    const waits =
      (task.metadata as { pending_inputs?: { call_id: string }[] } | undefined)?.pending_inputs ?? []
    for (const { call_id } of waits) {
      const answer = { callId: call_id, itemId: `tr_of-${call_id}`, content: 'yes', blocks: [] }
      await system.commands.input(admin, taskId, 'req_input', [answer])
    }
  }
}

t.test('killed around every commit of a long story, it comes to its end', async t => {
  const { snapshots, asked } = await killedEverywhere(
    t,
    async system => {
      const taskId = await system.play(story, { client_tools: [clientTool('ask')] })
      await system.world.advance(20)
      await system.commands.message(admin, taskId, 'req', 'hurry', { key: undefined, isRetry: false })
      await quiet(system)
      await answering(system)
    },
    {
      everyCommit: true,
      again: answering,
      unsafe: 4,
      ends: ['completed', 'input-required'],
      async also(t, at, tasks, outside, system) {
        if (tasks.some(({ status }) => status === 'input-required')) await answering(system)
        for (const taskId of await tasksIn(system))
          t.equal((system.get(taskId) as Task).status, 'completed', at)
        const root = tasks[0]
        if (root === undefined) return
        const { output } = system.get(root.id) as Task
        const results = output.filter(({ type }) => type === 'tool_result')
        t.equal(results.length, 9, `${at}: every call has its result`)
        t.ok(outside.happened.length >= 4, at)
      },
    },
  )
  t.ok(snapshots.length > 50)
  t.ok(asked.length > 5)
})
