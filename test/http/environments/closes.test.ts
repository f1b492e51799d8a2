// Closing and deleting a session, also while steps run.

import t from 'tap'
import { until } from '../../support/http.ts'
import { counter, gone, kept } from '../env-calls.ts'
import { givenEnvironments } from './given.ts'

const { api, made, step, add, reset, observe, close, record, remove, holding, faults } =
  await givenEnvironments(t)

t.test('a closed session has no steps, and is closed again without a word', async t => {
  const id = await made()
  await add(id, 1)
  const first = await close(id)
  t.equal(first.status, 200)
  t.match(first.body, { status: 'closed', message: /./ })
  t.same((await close(id)).body, first.body)
  const { body } = await record(id)
  t.match(body, { is_active: false, close_reason: 'closed' })
  for (const answer of [
    await add(id, 1),
    await step(id, 'add', { by: 1 }, { stream: true }),
    await reset(id),
    await observe(id),
  ]) {
    t.equal(answer.status, 404)
    t.match(answer.body, { code: -32025, detail: /./ })
  }
})

t.test('close, delete and reset stop the step that runs, and those that wait behind it', async t => {
  for (const env_class_path of [counter, kept, gone]) {
    for (const [how, end] of Object.entries({ closed: close, deleted: remove, reset })) {
      const what = `${env_class_path} is ${how}`
      const id = await made({ env_class_path })
      const { answer } = await holding(t, id) // which nobody lets go
      const waiting = add(id, 1)
      const third = { session_id: id, tool_name: 'draw', tool_args: {}, stream: true, expected_step: 3 }
      await until(async () => {
        const { status, body } = await api('POST', '/env/step', third) // 409 until two are there
        await body?.cancel()
        return status === 200
      })
      t.equal((await end(id)).status, 200, what)
      const { status, body } = await answer
      t.equal(status, 200, what)
      t.match(
        body,
        { tool_result: { status: 'incomplete' }, info: { error: `its session was ${how}` } },
        what,
      )
      const behind = await waiting
      t.equal(behind.status, how === 'reset' ? 409 : 404, `${what}: the next one`)
      t.match(behind.body.message, `its session was ${how}`)
      if (how === 'reset')
        t.match((await add(id, 1)).body, { step: 2, state: { total: 1 } }, 'and it goes on')
      else t.equal((await add(id, 1)).status, 404)
    }
  }
})

t.test('nothing of all that was a fault of ours', async t => {
  t.same(faults(), [])
})
