// Tasks whose rows cannot be written are read from the log, with the same answers.
import t from 'tap'
import type { TaskRow } from '../../projections/tasks/rows.ts'
import { unwrittenRow } from '../../projections/tasks/unwritten.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { gathered, isLong, type Text } from '../../src/platform/pieces.ts'
import { admin, givenSystem, holdReadModels, quiet, refused } from '../support/system.ts'
import { clientTool, tool } from '../support/tools.ts'

const userOf = (userId: string) =>
  ({ id: `tok-${userId}`, role: 'user', userId, expiresAt: undefined }) as const
const [ann, bob] = [userOf('ann'), userOf('bob')]
const textOf = async (text: Text): Promise<string> => String(isLong(text) ? await gathered(text) : text)
t.test('a task is the same from the log as from its row', async t => {
  const system = await givenSystem({ tools: [tool('note')] })
  const steps = [
    { message: 'one' },
    { tool: 'note' },
    { subagent: 'echo', input: 'hello' },
    { message: 'end' },
  ]
  const rollouts = { return_rollout: true, include_subagent_rollout: true }
  const ids = [
    await system.create({}),
    await system.create({ session_id: 's' }),
    await system.create({ session_id: 's' }),
    await system.play(steps, rollouts),
    await system.play([{ tool: 'unknown' }, { message: 'on' }]),
    await system.create({ user_message_content: 'y'.repeat(600_000) }),
  ]
  await quiet(system)
  await system.world.advance(1000)
  for (const id of ids) {
    const { row_sum: _, ...row } = system.queries.visible(admin, id) as TaskRow & { row_sum: number }
    const unwritten = unwrittenRow(system.log, taskStream(id), () => true)
    t.match(unwritten, row, 'the same columns')
    if (unwritten !== undefined)
      t.equal(await textOf(system.recall.ofRow(unwritten).text), await textOf(system.recall.ofRow(row).text))
  }
  await system.close()
})

t.test('only those may see it who may see the task, and a deleted task is gone', async t => {
  const system = await givenSystem()
  const release = holdReadModels(system)
  const id = await system.create({}, { principal: ann })
  await quiet(system)
  const { visible, list } = system.queries
  t.throws(() => list({ user_id: 'ann' } as never), refused('ReadModelsBehind'))
  t.equal(visible(ann, id).id, id)
  t.throws(() => visible(bob, id), refused('TaskNotFound'))
  t.throws(() => visible(ann, 'task_nowhere'), refused('TaskNotFound'))
  await system.commands.remove(ann, id, 'req')
  t.throws(() => visible(ann, id), refused('TaskNotFound'))
  t.equal(visible(admin, id, true).deleted, 1, 'its past is still there for auditors')
  await release()
  await system.close()
})

t.test('a long task waits for its row', async t => {
  const system = await givenSystem()
  const id = await system.play([{ tool: 'ask' }], { client_tools: [clientTool('ask')] }, { principal: ann })
  await quiet(system)
  for (let n = 0; n < 1000; n++) await system.commands.reward(admin, id, 'req', { value: 1 })
  const release = holdReadModels(system)
  await system.commands.cancel(ann, id, 'req')
  t.throws(() => system.queries.visible(ann, id), refused('ReadModelsBehind'))
  t.throws(
    () => system.queries.visible(bob, id),
    refused('TaskNotFound'),
    'nobody else learns that it exists',
  )
  await release()
  t.equal(system.queries.visible(ann, id).id, id)
  await system.close()
})

t.test('an erased task is gone, although its payloads are not destroyed yet', async t => {
  const inner = memoryStore()
  const store = { ...inner, destroy: () => Promise.reject(new Error('disk full')) }
  let release = async () => {}
  const system = await givenSystem({
    store,
    reach(where, kind) {
      if (where === 'before-intent' && kind === 'erasure') release = holdReadModels(system)
    },
  })
  const id = await system.create({})
  await quiet(system)
  await t.rejects(
    system.erasures.task({ principal: admin, requestId: 'req' }, id, { reason: 'asked', cascade: false }),
  )
  for (const withDeleted of [false, true])
    t.throws(() => system.queries.visible(admin, id, withDeleted), refused('TaskNotFound'))
  await release()
  await system.close()
})
