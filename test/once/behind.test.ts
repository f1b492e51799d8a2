// While the read models are behind the log, the table of requests cannot say what an earlier request made, so creates
// with a key are refused. A session knows the keys of its own steps, and goes on.
import t from 'tap'
import { given } from '../actors/env-session/given.ts'
import { refused } from '../support/system.ts'

t.test('a step with a key is taken once while the read models are behind', async t => {
  const { create, step, system } = await given(t)
  await create('s', 'refold')
  const { projector, readStore } = system()
  projector.flush()
  readStore.exec(
    "CREATE TEMP TRIGGER broken BEFORE UPDATE ON env_sessions BEGIN SELECT raise(ABORT, 'disk full'); END",
  )
  await step('s', 'add', { by: 1 })
  projector.flush()
  t.notOk(projector.isCurrent())
  const first = await step('s', 'add', { by: 2 }, { key: 'k' })
  t.same(await step('s', 'add', { by: 2 }, { key: 'k' }), first)
  t.match(await step('s', 'add', { by: 3 }, { key: 'l' }), { step: 3, state: { total: 6 } })
  await t.rejects(step('s', 'add', { by: 4 }, { key: 'k' }), refused('Conflict'))
})
