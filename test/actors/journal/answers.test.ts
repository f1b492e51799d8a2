// A server killed at every point of an answer to a client's tool: neither lost nor taken twice, however it came.
import t, { type Test } from 'tap'
import type { CreateTaskBody, Task } from '../../../src/contract/wire.ts'
import { admin, quiet, type TestSystem } from '../../support/system.ts'
import { clientTool } from '../../support/tools.ts'
import { tasksIn } from './checks.ts'
import { killedEverywhere, rested } from './kills.ts'

const tools = { client_tools: [clientTool('ask'), clientTool('look')] }
const waiting = (system: TestSystem, steps: object[] = []) =>
  system.play(
    [
      { tool: 'pay' },
      {
        tools: [
          { tool: 'ask', arguments: { n: 1 } },
          { tool: 'note', arguments: {} },
          { tool: 'look', arguments: {} },
        ],
      },
      ...steps,
      { message: 'got $result' },
    ],
    { ...tools, session_id: 's1' },
  )

const pendingOf = (task: Task) =>
  (
    (task.metadata as { pending_inputs?: { call_id: string; name: string }[] } | undefined)?.pending_inputs ??
    []
  ).map(({ call_id }) => call_id)
/** The calls that the client answers, in their order, whether they wait or not. */
const clientCalls = (task: Task) =>
  task.output.flatMap(item =>
    item.type === 'tool_call' && (item.name === 'ask' || item.name === 'look') ? [item.call_id] : [],
  )
const answer = (callId: string, content: string) => ({
  callId,
  itemId: `tr_of-${callId}-${content}`,
  content,
  blocks: [],
})
const result = (callId: string, content: string) => ({
  type: 'tool_result' as const,
  call_id: callId,
  message_content: content,
  block_list: [],
})
const firstTask = async (system: TestSystem) => (await tasksIn(system))[0]
/** A client that knows the calls of its task and sends the same as before; only when the task got so far. */
const whenAsked = async (system: TestSystem, send: (task: Task, calls: string[]) => Promise<unknown>) => {
  const taskId = await firstTask(system)
  if (taskId === undefined) return
  const task = system.get(taskId) as Task
  if (clientCalls(task).length === 2 && task.status !== 'paused') await send(task, clientCalls(task))
}
/** The rest of a client's work after a person was asked: it answers what is still open. */
const resultsOf = (task: Task | undefined) =>
  (task?.output ?? []).flatMap(item => (item.type === 'tool_result' ? [item.message_content] : []))

const inParts = async (system: TestSystem) =>
  whenAsked(system, async (task, [ask = '', look = '']) => {
    const view = await system.commands.input(admin, task.id, 'req_1', [answer(ask, 'yes')])
    const left = view.pendingCalls.map(call => call.call_id)
    if (left.includes(ask)) throw new Error('an answered call still waits')
    await quiet(system)
    await system.commands.input(admin, task.id, 'req_2', [answer(look, 'nothing there')])
  })
const atOnce = async (system: TestSystem) =>
  whenAsked(system, (task, [ask = '', look = '']) =>
    system.commands.input(admin, task.id, 'req_1', [answer(ask, 'yes'), answer(look, 'nothing there')]),
  )
const byCreate = async (system: TestSystem) =>
  whenAsked(system, (task, [ask = '', look = '']) =>
    system.create({
      task_id: task.id,
      session_id: 's1',
      user_message_content: 'and go on',
      history_messages: [result(ask, 'yes'), result(look, 'nothing there')],
    }),
  )
const elsewhere: (system: TestSystem) => Promise<unknown> = system =>
  whenAsked(system, (_, [ask = '', look = '']) => {
    const body: Partial<CreateTaskBody> = {
      session_id: 's1',
      user_message_content: 'now this',
      history_messages: [result(ask, 'yes'), result(look, 'nothing there')],
      agent_config: { agent_id: 'script', script: [{ tool: 'pay' }, { message: 'elsewhere: $result' }] },
    }
    return system.create(body, { key: 'elsewhere-1' })
  })

const given = (t: Test, at: string, task: Task | undefined) => {
  const results = resultsOf(task)
  t.equal(results.filter(each => each === 'yes').length, 1, `${at}: the first answer is there once`)
  t.equal(results.filter(each => each === 'nothing there').length, 1, `${at}: and the second`)
}

for (const [how, send] of Object.entries({ inParts, atOnce, byCreate })) {
  t.test(`killed around answers that come ${how}, they are taken once and the task goes on`, async t => {
    await killedEverywhere(
      t,
      async system => {
        await waiting(system)
        await rested(system)
        await send(system)
      },
      {
        again: send,
        ends: ['completed', 'input-required'],
        unsafe: 1,
        async also(t, at, tasks, _outside, system) {
          // A person was asked about the tool: only then could the client be.
          if (tasks[0]?.status === 'input-required') {
            t.equal(pendingOf(tasks[0] as Task).length, 2, `${at}: both calls wait`)
            await send(system)
            await rested(system)
          }
          const task = system.get(tasks[0]?.id ?? '') as Task
          t.equal(task.status, 'completed', at)
          given(t, at, task)
          const facts = await system.factsOf(task.id)
          const messages = how === 'byCreate' ? 1 : 0
          t.equal(facts.filter(type => type === 'InputAccepted').length >= 2 + messages, true, at)
          const said = task.output.filter(item => item.type === 'message')
          t.equal(said.length, 1, `${at}: it answered once`)
        },
      },
    )
  })
}

t.test(
  'killed around answers that continue elsewhere, there is one new task and the old one is done',
  async t => {
    await killedEverywhere(
      t,
      async system => {
        await waiting(system)
        await rested(system)
        await elsewhere(system)
      },
      {
        again: elsewhere,
        ends: ['completed', 'input-required'],
        async also(t, at, tasks, _outside, system) {
          if (tasks[0]?.status === 'input-required') {
            await elsewhere(system)
            await rested(system)
          }
          const [old, next, ...more] = (await tasksIn(system)).map(taskId => system.get(taskId) as Task)
          t.same(more, [], `${at}: no third task`)
          t.match(old, { status: 'completed', metadata: { continued_by: next?.id } }, at)
          t.match(next, { status: 'completed', previous_task_id: old?.id }, at)
          given(t, at, old)
          t.match(JSON.stringify(next?.output), /elsewhere: /, at)
          const stored = await system.stored()
          const made = stored.find(({ header, data }) => {
            return header.type === 'TaskCreated' && (data as { task_id: string }).task_id === next?.id
          })
          const done = stored.find(({ header }) => header.type === 'TaskCompleted')
          t.equal(made?.header.time, done?.header.time, `${at}: one append`)
          t.equal((done?.position ?? 0) + 1, made?.position, `${at}: one after the other`)
        },
      },
    )
  },
)
