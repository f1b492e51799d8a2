// A disk that fails under tool calls: what runs in this process outlives it, and nothing runs twice.
import t from 'tap'
import type { TaskEventData } from '../../../src/contract/events/task-events.ts'
import { StorageFailure } from '../../../src/contract/stored.ts'
import type { ScriptStep, Task } from '../../../src/contract/wire.ts'
import { memoryStore } from '../../../src/log/memory-store.ts'
import type { Store } from '../../../src/log/store.ts'
import { eventsOf } from '../../history/told.ts'
import { alone } from '../../support/store.ts'
import { admin, givenSystem, type TestSystem } from '../../support/system.ts'
import { clientTool } from '../../support/tools.ts'
import { testWorld } from '../../support/world.ts'
import { problemsIn, tasksIn } from './checks.ts'
import { byResume, rested, shown, unknownOutcomes } from './kills.ts'
import { outsideWorld, unsafeCounts } from './outside.ts'

/** Fails from the n-th write on that follows `failFrom(n)`, so many times. */
const failingLater = (how: 'lost' | 'kept', times: number) => {
  const inner = memoryStore()
  let writes = 0
  let first = Number.POSITIVE_INFINITY
  const store: Store = {
    ...inner,
    async write(batch) {
      const fails = writes >= first && writes < first + times
      writes++
      if (!fails || how === 'kept') await inner.write(batch)
      if (fails) throw new Error('the disk said no')
    },
  }
  const failFrom = (n: number) => {
    first = writes + n
  }
  return { store, failFrom, writes: () => writes }
}

const input = (...steps: ScriptStep[]) => JSON.stringify(steps)
const stories: Record<string, { steps: ScriptStep[]; unsafe: number }> = {
  'one tool': { steps: [{ tool: 'pay' }, { message: 'on' }], unsafe: 1 },
  'three calls at once': {
    steps: [
      {
        tools: [
          { tool: 'pay', arguments: {} },
          { tool: 'note', arguments: {} },
          { tool: 'agent_script', arguments: { input: input({ tool: 'ship' }, { message: 'mine' }) } },
        ],
      },
      { message: 'on' },
    ],
    unsafe: 2,
  },
}

for (const [name, { steps, unsafe }] of Object.entries(stories)) {
  for (const how of ['lost', 'kept'] as const) {
    t.test(
      `a disk that fails at any append of ${name}, ${how}: no call runs twice, and the task ends`,
      async t => {
        let asked = 0
        for (const times of [1, 2, 4]) {
          for (let n = 1, over = false; !over && n < 40; n++) {
            const at = `${times} failures from write ${n}`
            const { store, writes, failFrom } = failingLater(how, times)
            failFrom(n)
            const world = testWorld()
            const outside = outsideWorld()
            const system = await givenSystem({ world, store: alone(store), tools: outside.tools(world) })
            await system.play(steps)
            for (let wait = 0; wait < 10; wait++) await rested(system)
            over = writes() < n
            for (const [effectId, count] of unsafeCounts({ happened: outside.begun })) {
              t.equal(count, 1, `${at}: ${effectId} began once`)
            }
            const waiting = unknownOutcomes(await shown(system))
            if (waiting.length > 0) asked++
            await byResume(system)
            for (const id of await tasksIn(system)) {
              t.match(system.get(id) as Task, { status: 'completed' }, `${at}: ${id} ended`)
            }
            if (waiting.length === 0)
              t.equal(outside.happened.filter(each => each.tool !== 'note').length, unsafe, at)
            t.same(await problemsIn(system), [], at)
            await system.close()
          }
        }
        // Only an intent of which nobody heard that it was stored leaves a doubt: its call never ran.
        t.equal(asked > 0, how === 'kept')
      },
    )
  }
}

/** A client that asks again until it is answered, as one does that gets 503. */
const insisting = async <T>(system: TestSystem, ask: () => Promise<T>): Promise<T> => {
  for (let n = 0; n < 20; n++) {
    const answer = ask().catch(error => {
      if (!(error instanceof StorageFailure)) throw error
      return undefined
    })
    await rested(system)
    const given = await answer
    if (given !== undefined) return given
  }
  throw new Error('no answer to twenty calls')
}

for (const how of ['lost', 'kept'] as const) {
  t.test(
    `a disk that fails during a cancel, ${how}: asked again it cancels, once, and everything stops`,
    async t => {
      const steps = [
        {
          tools: [
            { tool: 'hang', arguments: {} },
            { tool: 'deaf', arguments: {} },
            { tool: 'agent_script', arguments: { input: input({ tool: 'hang' }) } },
          ],
        },
      ]
      for (const times of [1, 2]) {
        for (let n = 0; n < 6; n++) {
          const at = `${times} failures from write ${n} of the cancel`
          const { store, failFrom } = failingLater(how, times)
          const world = testWorld()
          const outside = outsideWorld()
          const system = await givenSystem({ world, store, tools: outside.tools(world) })
          const taskId = await system.play(steps)
          await world.advance(100)
          failFrom(n)
          const view = await insisting(system, () => system.commands.cancel(admin, taskId, 'req'))
          t.equal(view.status, 'canceled', at)
          await rested(system)
          for (const task of await shown(system)) t.equal(task.status, 'canceled', `${at}: ${task.id}`)
          t.equal(outside.begun.length, 3, `${at}: nothing began again`)
          t.equal(outside.stopped.length, 2, `${at}: what hears was stopped`)
          t.equal((await system.factsOf(taskId)).filter(type => type === 'CancelRequested').length, 1, at)
          t.same(await problemsIn(system), [], at)
          await system.close()
        }
      }
    },
  )

  for (const way of ['by input', 'in the same task', 'elsewhere'] as const) {
    t.test(
      `a disk that fails while answers are stored ${way}, ${how}: asked again they count once`,
      async t => {
        for (const times of [1, 2]) {
          for (let n = 0; n < 6; n++) {
            const at = `${times} failures from write ${n}`
            const { store, failFrom } = failingLater(how, times)
            const world = testWorld()
            const outside = outsideWorld()
            const system = await givenSystem({ world, store, tools: outside.tools(world) })
            const taskId = await system.play(
              [
                {
                  tools: [
                    { tool: 'ask', arguments: {} },
                    { tool: 'ask', arguments: {} },
                  ],
                },
                { tool: 'pay' },
              ],
              { client_tools: [clientTool('ask')], session_id: 's1' },
            )
            await rested(system)
            failFrom(n)
            const calls = (system.get(taskId) as Task).output.flatMap(item =>
              item.type === 'tool_call' ? [item.call_id] : [],
            )
            const results = calls.map(call_id => ({
              type: 'tool_result' as const,
              call_id,
              message_content: 'yes',
              block_list: [],
            }))
            const given = calls.map(callId => ({
              callId,
              itemId: `tr_${callId}`,
              content: 'yes',
              blocks: [],
            }))
            const body = { session_id: 's1', user_message_content: 'now', history_messages: results }
            await insisting(system, async () => {
              if (way === 'by input') return system.commands.input(admin, taskId, 'req', given)
              if (way === 'in the same task') return system.create({ ...body, task_id: taskId })
              return system.create(body, { key: 'k1' })
            })
            for (let wait = 0; wait < 5; wait++) await rested(system)
            await byResume(system)
            const tasks = await shown(system)
            for (const task of tasks) t.equal(task.status, 'completed', `${at}: ${task.id}`)
            t.equal(tasks.length, way === 'elsewhere' ? 2 : 1, at)
            const took = (await eventsOf(system, taskId)).flatMap(({ header, data }) =>
              header.type === 'InputAccepted' ? [(data as TaskEventData<'InputAccepted'>).item.type] : [],
            )
            t.same(took.filter(type => type === 'tool_result').length, 2, `${at}: each answer once`)
            t.same(took.filter(type => type === 'message').length, way === 'in the same task' ? 1 : 0, at)
            t.equal(outside.begun.length, way === 'elsewhere' ? 0 : 1, at)
            t.same(await problemsIn(system), [], at)
            await system.close()
          }
        }
      },
    )
  }
}

for (const looked of [false, true]) {
  t.test(
    `an answer that was stored and yet refused is gone on with, looked at meanwhile: ${looked}`,
    async t => {
      const { store, failFrom } = failingLater('kept', 1)
      const world = testWorld()
      const outside = outsideWorld()
      const system = await givenSystem({ world, store, tools: outside.tools(world) })
      const taskId = await system.play([{ tool: 'ask' }, { tool: 'pay' }], {
        client_tools: [clientTool('ask')],
      })
      await rested(system)
      const call = (system.get(taskId) as Task).output[0]
      const callId = call?.type === 'tool_call' ? call.call_id : ''
      failFrom(0)
      const answer = { callId, itemId: 'tr_1', content: 'yes', blocks: [] }
      await t.rejects(system.commands.input(admin, taskId, 'req', [answer]), /could not be written/)
      const rest = looked ? system.commands.atRest(taskId) : undefined
      await rested(system)
      await rest
      t.equal((system.get(taskId) as Task).status, 'completed')
      t.equal(outside.begun.length, 1)
      t.same(await problemsIn(system), [])
      await system.close()
    },
  )
}
