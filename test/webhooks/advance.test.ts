// The checkpoint of a webhook that has nothing to send for a long time.
import path from 'node:path'
import t from 'tap'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Store } from '../../src/log/store.ts'
import { alone } from '../support/store.ts'
import { givenSystem, restarted, type TestSystem } from '../support/system.ts'
import { testWorld } from '../support/world.ts'
import { info, make, receiver, settleAll } from './without-network.ts'

/** A store in memory that notes after which positions it is read. */
const notedStore = () => {
  const inner = memoryStore()
  const reads: number[] = []
  const page: Store['page'] = (after, ...more) => {
    reads.push(after)
    return inner.page(after, ...more)
  }
  return { reads, store: alone({ ...inner, page }) }
}

/** Stores events that no webhook sends. */
const fill = async ({ log }: TestSystem, thousands: number): Promise<void> => {
  const about = { owner: '', session_id: '', correlation_id: 'x', principal: 'admin', causation_id: 'x' }
  const event = { type: 'TokenRevoked', schema_version: 1, data: { token_id: 'nobody' } }
  const events = Array.from({ length: 1000 }, () => event)
  for (let n = 0; n < thousands; n++) {
    const expectedRevision = log.revisionOf('principal-nobody')
    await log.append([{ stream: 'principal-nobody', expectedRevision, ...about, events }])
  }
}
const checkpointsIn = async (system: TestSystem): Promise<number> =>
  (await system.stored()).filter(({ header }) => header.type === 'WebhookCheckpoint').length

t.test('a checkpoint moves past what is not sent, so a restart reads only the end of the log', async t => {
  const { outside, requests } = receiver()
  const { store, reads } = notedStore()
  const world = testWorld()
  const readModels = path.join(t.testdir(), 'read.db')
  let system = await givenSystem({ outside, world, store, readModels })
  const { webhook } = await make(system, { types: ['TaskCreated'] })
  await fill(system, 9)
  await world.advance(120_000)
  t.equal(info(system, webhook.id).checkpoint, webhook.checkpoint, 'its checkpoint is not far behind')
  await fill(system, 3)
  await world.advance(60_000)
  await settleAll(system)
  const { checkpoint } = info(system, webhook.id)
  t.ok(checkpoint >= 12_000)
  t.equal(await checkpointsIn(system), 1)
  await world.advance(600_000)
  t.equal(await checkpointsIn(system), 1, 'an idle server stores no more of them')

  await settleAll(system)
  reads.length = 0
  system = await restarted(system)
  await settleAll(system)
  t.ok(
    reads.every(after => after >= checkpoint),
    `read after ${reads}`,
  )
  await system.create({})
  await settleAll(system)
  t.equal(requests.length, 1, 'and what fits is sent')
  await system.close()
})

t.test('a checkpoint does not move past an event that waits for its receiver', async t => {
  const { outside, requests, replies } = receiver(Array.from({ length: 50 }, () => 500))
  const world = testWorld()
  let system = await givenSystem({ outside, world })
  const { webhook } = await make(system, { types: ['TaskCreated'] })
  await system.create({})
  await settleAll(system)
  await fill(system, 12)
  await world.advance(600_000)
  t.ok(info(system, webhook.id).checkpoint < Number(requests[0]?.id))
  system = await restarted(system)
  replies.length = 0
  await world.advance(3_600_000)
  await settleAll(system)
  t.same(new Set(requests.map(({ id }) => id)).size, 1)
  t.match(requests.at(-1), { ok: true })
  await system.close()
})
