// What is counted once, although the write that stored the count failed.
import t from 'tap'
import { createReads } from '../../src/access/reads.ts'
import { admin, failingStore, givenSystem, quiet, type TestSystem } from '../support/system.ts'
import { make, receiver, settleAll } from '../webhooks/without-network.ts'

/** The sum of the counts in the events of this type. */
const countIn = async (system: TestSystem, type: string): Promise<number> =>
  (await system.stored())
    .filter(({ header }) => header.type === type)
    .reduce((sum, { data }) => sum + (data as { count: number }).count, 0)

for (const how of ['lost', 'kept'] as const) {
  t.test(`the deliveries of a webhook, ${how}`, async t => {
    const { world, outside, accepted } = receiver()
    const { store, failNext } = failingStore()
    const { write } = store
    let isDue = false
    store.write = batch => {
      if (isDue && batch.texts.some(text => text.includes('WebhookCheckpoint'))) {
        isDue = false
        failNext(how)
      }
      return write(batch)
    }
    const system = await givenSystem({ store, world, outside })
    await make(system, { types: ['TaskStatusChanged'] })
    isDue = true
    for (let n = 0; n < 2; n++) {
      await system.create({})
      for (let m = 0; m < 5; m++) {
        await settleAll(system)
        await system.log.retry()
      }
    }
    t.notOk(isDue)
    t.ok(accepted().length > 1)
    t.equal(await countIn(system, 'WebhookCheckpoint'), accepted().length)
    await system.close()
  })

  t.test(`recorded reads, ${how}`, async t => {
    const { store, failNext } = failingStore()
    const system = await givenSystem({ store })
    const { log, world } = system
    const reads = createReads({ log, clock: world.clock, timers: world.timers, report: () => {} })
    reads.begin(admin, 'getTask')('task_1')
    failNext(how)
    await world.advance(3_000)
    reads.begin(admin, 'getTask')('task_1')
    await world.advance(10_000)
    await quiet(system)
    t.equal(await countIn(system, 'ReadAccess'), 2)
    await system.close()
  })
}
