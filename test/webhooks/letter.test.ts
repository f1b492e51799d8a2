// What a webhook in the form of OpenAI sends for the changes of a task.
import t from 'tap'
import { letterOf } from '../../src/webhooks/letter.ts'

t.test('only a change that ends a turn ends a response, and it is looked up once', async t => {
  const webhook = { settings: { types: ['response.completed'] } }
  const looked: number[] = []
  const findEnded = async (_taskId: string, seq: number) => {
    looked.push(seq)
    return { type: 'response.completed' as const, id: 'resp_1' }
  }
  const changed = (
    seq: number,
    old_status: 'input-required' | 'working',
    new_status: 'working' | 'completed',
  ) => ({
    position: seq + 1,
    owner: 'ada',
    seq,
    event: {
      type: 'TaskStatusChanged' as const,
      timestamp: '2026-01-01T00:00:00.000Z',
      ...{ task_id: 'task_1', session_id: 's', old_status, new_status },
    },
  })
  const forms = { findEnded, tellStatus: async () => undefined }
  const working = changed(7, 'input-required', 'working')
  const completed = changed(8, 'working', 'completed')
  t.equal(await letterOf(webhook, working, forms), undefined, 'at the same time')
  for (const _try of [1, 2])
    t.match(await letterOf(webhook, completed, forms), { type: 'response.completed' })
  t.same(looked, [8])
})
