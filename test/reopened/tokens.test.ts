// Tokens whose revocation is stored although its write failed.
import t from 'tap'
import { createPrincipals } from '../../src/access/principals.ts'
import { rested } from '../actors/journal/kills.ts'
import { failingStore, givenSystem } from '../support/system.ts'

const by = { principal: 'admin', causation: 'req' }

const revoked = async () => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  const { log, world } = system
  const principals = createPrincipals(
    { actors: system.principals, log, queries: system.tasks.queries, world },
    'admin',
  )
  const { id, token } = await principals.create({ role: 'user', userId: 'ann' }, by)
  const row = principals.find(id)
  if (row === undefined) throw new Error('the token is not there')
  failNext('kept')
  await t.rejects(principals.revoke(row, by), /could not be written/)
  await rested(system)
  return { system, principals, id, token }
}

t.test('the token is not valid any more', async t => {
  const { system, principals, id, token } = await revoked()
  t.same(system.tasks.queries.tokens(), [])
  t.equal(principals.authenticate(token), undefined)
  t.equal(principals.find(id), undefined)
  await system.close()
})

t.test('the webhooks of its user stop', async t => {
  const { system, id } = await revoked()
  t.equal(system.webhooks.mayAct({ userId: 'ann', maker: id }), false)
  await system.close()
})
