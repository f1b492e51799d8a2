// Who may act while nobody asks: users with a valid token, and tokens without a user.
import t from 'tap'
import { createMakers, type Maker } from '../../src/access/makers.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import type { TokenRow } from '../../src/tasks/queries.ts'
import { testWorld } from '../support/world.ts'

const second = 1000
const row = (id: string, user_id: string | null, expires_at: number | null = null) =>
  ({ id, hash: id, role: 'user', user_id, created_at: 0, expires_at }) as TokenRow
const stored = (type: string, data: object) =>
  [
    {
      type,
      data,
      header: { type, stream: 'principal-x', time: '2026-01-01T00:00:00.000Z', schema_version: 1 },
    },
  ] as unknown as Recorded[]

const [ann, bob] = ['ann', 'bob'].map(userId => ({ token: 't', userId })) as [Maker, Maker]
const given = (rows: (now: number) => TokenRow[]) => {
  const world = testWorld()
  let offset = 0
  const clock = { now: () => world.clock.now() + offset }
  const makers = createMakers(() => rows(clock.now()), { ...world, clock })
  let changes = 0
  makers.onChange(() => changes++)
  return { ...makers, ...world, clock, set: (to: number) => (offset = to), changes: () => changes }
}

t.test('a user may act with one valid token of several, and not with none', async t => {
  const { mayAct } = given(now => [row('a', 'ann', now - 1), row('b', 'ann'), row('c', 'bob', now - 1)])
  t.same(
    ['ann', 'bob', 'cem'].map(user => mayAct({ token: 't', userId: user })),
    [true, false, false],
  )
  t.equal(mayAct({ token: 'gone', userId: null }), true, 'tokens without a user are one maker together')
  t.equal(mayAct({ token: 'admin', userId: 'bob' }), true, 'what the operator set up for a user goes on')
})

t.test('the moment at which a token expires is told, and only that moment', async t => {
  const makers = given(now => [row('a', 'ann', now + 90 * second), row('b', 'bob', now + 200 * second)])
  await makers.advance(80 * second)
  t.same([makers.mayAct(ann), makers.changes()], [true, 0])
  await makers.advance(11 * second)
  t.same([makers.mayAct(ann), makers.mayAct(bob), makers.changes()], [false, true, 1])
  await makers.advance(120 * second)
  t.same([makers.mayAct(bob), makers.changes()], [false, 2])
})

t.test('tokens that a clock ahead has ended are told again when the clock is put right', async t => {
  const makers = given(now => [row('a', 'ann', now + 300 * second)])
  makers.set(3600 * second)
  await makers.advance(61 * second)
  t.same([makers.mayAct(ann), makers.changes()], [false, 1])
  makers.set(0)
  await makers.advance(61 * second)
  t.equal(makers.changes(), 2)
})

t.test('a token that expires before all others is told in time, whenever it was made', async t => {
  const makers = given(now => [row('a', 'ann', now + 300 * second)])
  await makers.advance(10 * second)
  const expires_at = makers.clock.now() + 5 * second
  makers.take(stored('TokenCreated', { token_id: 'b', hash: 'b', role: 'user', user_id: 'bob', expires_at }))
  t.same([makers.mayAct(bob), makers.changes()], [true, 1])
  await makers.advance(5 * second)
  t.same([makers.mayAct(bob), makers.changes()], [false, 2])
})

t.test('what a token without a user set up for a user goes on when that token is revoked', async t => {
  const makers = given(() => [row('ops', null)])
  const ofTask = { token: 'ops', userId: 'ann' }
  t.same([makers.mayAct(ofTask), makers.mayAct(ann)], [true, false])
  makers.take(stored('TokenRevoked', { token_id: 'ops' }))
  t.same([makers.mayAct(ofTask), makers.mayAct(ann)], [true, false])
})

t.test('a token that is made or revoked is told', async t => {
  const makers = given(() => [row('a', 'ann')])
  makers.take(stored('TokenRevoked', { token_id: 'a' }))
  t.same([makers.mayAct(ann), makers.changes()], [false, 1])
  makers.take(stored('TokenCreated', { token_id: 'b', hash: 'b', role: 'user', user_id: 'ann' }))
  t.same([makers.mayAct(ann), makers.changes()], [true, 2])
  makers.take(stored('TaskCreated', {}))
  t.equal(makers.changes(), 2)
  makers.take(stored('TokenCreated', { token_id: 'c', hash: 'c', role: 'user', user_id: 'ann' }))
  makers.take(stored('TokenRevoked', { token_id: 'b' }))
  t.equal(makers.changes(), 2, 'what nobody set up pauses or goes on')
})
