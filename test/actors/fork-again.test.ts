// A fork that does the same work again. The clock moves only between steps, so each step takes as long as it took in the
// task: how many pieces its text comes in depends on that.
import t from 'tap'
import type { ScriptStep } from '../../src/contract/wire.ts'
import { compare } from '../../src/history/diff/compare.ts'
import { admin, givenSystem, quiet } from '../support/system.ts'
import { tool } from '../support/tools.ts'

const steps: ScriptStep[] = [
  { message: 'one' },
  { tool: 'note', arguments: { text: 'one' } },
  { tools: ['two', 'three'].map(text => ({ tool: 'note', arguments: { text } })) },
  { subagent: 'echo', input: 'hello' },
  { message: 'end' },
]

t.test('the same work, done again from any frame, gives the same frames and the same events', async t => {
  const system = await givenSystem({ tools: [tool('note')] })
  const completed = async (id: string) => {
    for (let n = 0; n < 100 && system.get(id).status !== 'completed'; n++) {
      await quiet(system)
      await system.world.advance(10)
    }
    t.equal(system.get(id).status, 'completed')
  }
  const task = await system.play(steps)
  await completed(task)
  const last = (await system.stored()).findLast(({ header }) => header.stream === `task-${task}`)
  const frames = last?.header.seq ?? 0
  t.ok(frames > 15, `${frames} frames`)
  for (let at = 0; at < frames; at++) {
    const id = `fork-${at}`
    const retry = { key: undefined, isRetry: false }
    await system.commands.fork(admin, task, `req_${at}`, { at, task_id: id }, retry)
    await completed(id)
    const found = await compare(system.log.readStream, `task-${task}`, `task-${id}`)
    t.same(found.first_divergence, null, `fork at ${at}`)
    t.same(found.facts, [], `fork at ${at}`)
  }
  await system.close()
})
