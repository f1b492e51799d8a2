// Erasures and legal holds that are stored although their write failed.
import t from 'tap'
import { rested } from '../actors/journal/kills.ts'
import { admin, failingStore, givenSystem, restarted } from '../support/system.ts'

const asked = { principal: admin, requestId: 'req' }

t.test('the erasure is finished', async t => {
  const { store, failNext } = failingStore()
  const { write } = store
  let hasFailed = false
  store.write = batch => {
    if (batch.erasures.length > 0 && !hasFailed) {
      hasFailed = true
      failNext('kept')
    }
    return write(batch)
  }
  const system = await givenSystem({ store })
  const id = await system.create({ user_message_content: 'ZEBRAFISH' })
  await rested(system)
  const erased = system.erasures.task(asked, id, { reason: 'asked', cascade: false })
  await t.rejects(erased, /could not be written/)
  await system.world.advance(120_000)
  await rested(system)
  const types = (await system.stored()).map(({ header }) => header.type)
  t.ok(types.includes('ErasureFinished'))
  const texts = store.page(0, 1000).map(({ payload }) => payload)
  t.notMatch(texts.join(), /ZEBRAFISH/, 'nothing is left of the task')
  await system.close()
})

t.test('the hold is in force, is placed once, and is gone when it is lifted', async t => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  const id = await system.create({})
  await rested(system)
  failNext('kept')
  const place = () => system.erasures.holds.place(asked, { task_id: id, reason: 'court' })
  await t.rejects(place(), /could not be written/)
  await rested(system)
  t.match(system.erasures.holds.list(), [{ task_id: id }])
  await place() // as a client does that got 503
  const placed = (await system.stored()).filter(({ header }) => header.type === 'HoldPlaced')
  t.equal(placed.length, 1)
  await system.erasures.holds.lift(asked, { task_id: id, reason: 'over' })
  const next = await restarted(system)
  t.same(next.erasures.holds.list(), [])
  await next.close()
})
