// A client's answer may come after a restart, days later; the world's clock says when.
import t from 'tap'
import { admin, givenSystem, noTtls, quiet, refused, restarted, type TestSystem } from '../support/system.ts'
import { clientTool } from '../support/tools.ts'
import { testWorld } from '../support/world.ts'

const start = Date.parse('2026-01-01T00:00:00.000Z')
const day = 24 * 3600 * 1000
const ttls = { ...noTtls, 'input-required': 7 * 24 * 3600 }

/** A task that waits for two answers. */
const waiting = async () => {
  const system = await givenSystem({ world: testWorld(1, start), ttls })
  const taskId = await system.play([{ tools: [{ tool: 'ask' }, { tool: 'ask' }] }, { message: '$result' }], {
    session_id: 's1',
    client_tools: [clientTool('ask')],
  })
  await quiet(system)
  return { system, taskId }
}
const daysLater = (system: TestSystem, days: number) =>
  restarted(system, { world: testWorld(2 + days, start + days * day, `day${days}`) })
const pendingOf = (system: TestSystem, taskId: string): string[] =>
  (system.get(taskId).metadata?.pending_inputs ?? []).map((call: { call_id: string }) => call.call_id)
const answer = (system: TestSystem, taskId: string, callId: string, content: string) =>
  system.commands.input(admin, taskId, 'req', [
    { callId, itemId: system.world.ids.next('tr_'), content, blocks: [] },
  ])

t.test('one answer now, the other six days and two restarts later', async t => {
  const { system: first, taskId } = await waiting()
  const [one = '', other = ''] = pendingOf(first, taskId)
  await answer(first, taskId, one, 'at once')
  const second = await daysLater(first, 3)
  t.equal(second.get(taskId).status, 'input-required')
  t.same(pendingOf(second, taskId), [other])
  const third = await daysLater(second, 6)
  await answer(third, taskId, other, 'at last')
  await quiet(third)
  t.equal(third.get(taskId).status, 'completed')
  t.equal(third.get(taskId).output.at(-1).message_content[0].text, 'at last')
  await answer(third, taskId, one, 'at once')
  await t.rejects(answer(third, taskId, one, 'otherwise'), refused('AlreadyAnswered', { call_id: one }))
  await third.close()
})

t.test('a create that answers both continues five days later, in the session', async t => {
  const { system: first, taskId } = await waiting()
  const calls = pendingOf(first, taskId)
  const system = await daysLater(first, 5)
  const next = await system.create({
    session_id: 's1',
    history_messages: calls.map(call_id => {
      return { type: 'tool_result', call_id, message_content: 'yes', block_list: [] }
    }),
  })
  await quiet(system)
  t.match(system.get(taskId), { status: 'completed', metadata: { continued_by: next } })
  t.match(system.get(next), { status: 'completed', previous_task_id: taskId })
  await system.close()
})

t.test('after eight days it has expired, and an answer comes too late', async t => {
  const { system: first, taskId } = await waiting()
  const [one = ''] = pendingOf(first, taskId)
  const system = await daysLater(first, 8)
  await system.world.advance(1000)
  t.equal(system.get(taskId).status, 'expired')
  await t.rejects(answer(system, taskId, one, 'late'), refused('WrongState'))
  await system.close()
})
