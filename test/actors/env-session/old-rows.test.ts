// Rows of sessions that are not written yet: which operations wait for them, and which do not.
import t from 'tap'
import type { Principal } from '../../../src/contract/events/token-events.ts'
import type { Refusal } from '../../../src/contract/refusals.ts'
import { given } from './given.ts'
import { kinds, reasonOf } from './sessions.ts'

const ann: Principal = { id: 'tok-ann', role: 'user', userId: 'ann', expiresAt: undefined }
const bob: Principal = { ...ann, id: 'tok-bob', userId: 'bob' }

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ reason, data }: Refusal) => ({ reason, data }),
  )

t.test('a step or an observation does not write the rows of the steps before', async t => {
  for (const kind of kinds) {
    const { create, step, observe, system } = await given(t)
    await create('s', kind)
    await step('s', 'add', { by: 1 })
    const { projector, log, environments } = system()
    const written = projector.reached()
    t.ok(written > 0 && written < log.head(), 'the session has a row that lacks its last step')
    for (let n = 0; n < 5; n++) await step('s', 'add', { by: 1 })
    t.match(await observe('s'), { state: { total: 6 } })
    t.equal(projector.reached(), written, kind)
    t.ok(environments.queries.active()[0])
    t.equal(projector.reached(), log.head(), 'a list writes them')
  }
})

t.test('a new session is found before its row is written, by its user only', async t => {
  const { create, system } = await given(t)
  await create('s', 'refold', { user_id: 'ann' })
  const { sessions } = system().environments
  const observe = (principal: Principal) => reasonOf(sessions.observe({ principal, requestId: 'r' }, 's'))
  t.ok(system().projector.reached() < system().log.head())
  t.equal(await observe(bob), 'SessionNotFound')
  t.equal(await observe(ann), undefined)
})

t.test('another user does not find the session, whether its row is old or not', async t => {
  const { create, step, system } = await given(t)
  await create('s', 'refold', { user_id: 'ann' })
  await step('s', 'add', { by: 1 })
  const { sessions } = system().environments
  t.equal(await reasonOf(sessions.observe({ principal: bob, requestId: 'r' }, 's')), 'SessionNotFound')
})

t.test(
  'a deleted session is not found before its row says so, like a session that never existed',
  async t => {
    const { create, step, observe, remove, system } = await given(t)
    await create('s', 'refold')
    await step('s', 'add', { by: 1 })
    await remove('s')
    t.ok(system().projector.reached() < system().log.head())
    const unknown = { reason: 'SessionNotFound', data: undefined }
    t.same(await refusalOf(step('s', 'add', { by: 1 })), unknown)
    t.same(await refusalOf(observe('s')), unknown)
    t.same(await refusalOf(observe('never')), unknown)
  },
)

t.test('a closed session is said to be closed before its row says so', async t => {
  const { create, step, observe, close } = await given(t)
  await create('s', 'refold')
  await step('s', 'add', { by: 1 })
  await close('s')
  const closed = { reason: 'SessionNotFound', data: { reason: 'closed' } }
  t.same(await refusalOf(step('s', 'add', { by: 1 })), closed)
  t.same(await refusalOf(observe('s')), closed)
})
