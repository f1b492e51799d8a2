// Telling a retry from a new request (decisions §3), with the whole system but the network.
import t from 'tap'
import type { Principal } from '../../src/contract/events/token-events.ts'
import {
  admin,
  crashed,
  failingStore,
  givenSystem,
  quiet,
  restarted,
  type TestSystem,
} from '../support/system.ts'
import { settle } from '../support/world.ts'

const user = (userId: string, id = `token_${userId}`): Principal => ({
  id,
  role: 'user',
  userId,
  expiresAt: undefined,
})
const anna = user('anna')
const bert = user('bert')
const tasksIn = async (system: TestSystem) =>
  (await system.stored()).filter(({ header }) => header.type === 'TaskCreated').length
const retry = { isRetry: true }
const conflict = { reason: 'Conflict', http: 409, code: -32023 }
const minute = 60_000

t.test('sixteen equal creates are sixteen tasks', async t => {
  const system = await givenSystem()
  const ids = await Promise.all(Array.from({ length: 16 }, () => system.create({})))
  t.equal(new Set(ids).size, 16)
  t.equal(await tasksIn(system), 16)
})

t.test('the same key finds the same task for a day', async t => {
  const system = await givenSystem()
  const first = await system.create({}, { key: 'k' })
  t.equal(await system.create({}, { key: 'k' }), first)
  t.equal(await system.create({}, { key: 'k', isRetry: true }), first)
  t.not(await system.create({}, { key: 'other' }), first)
  t.not(await system.create({}, { key: 'k', principal: bert }), first, 'keys are per principal')
  const again = await restarted(system)
  t.equal(await again.create({}, { key: 'k' }), first, 'also after a restart')
})

t.test('a key is forgotten after a day, and not before', async t => {
  const system = await givenSystem()
  const first = await system.create({}, { key: 'k' })
  await system.close()
  await system.world.advance(24 * 60 * minute - 1000)
  const again = await givenSystem(system.options)
  t.equal(await again.create({}, { key: 'k' }), first)
  await again.world.advance(1000)
  const second = await again.create({}, { key: 'k' })
  t.not(second, first)
  t.equal(await again.create({}, { key: 'k' }), second, 'from then on it means the second one')
})

t.test('the same key with another body is a conflict', async t => {
  const system = await givenSystem()
  await system.create({ user_message_content: 'a' }, { key: 'k' })
  await t.rejects(system.create({ user_message_content: 'b' }, { key: 'k' }), conflict)
  t.equal(await tasksIn(system), 1)
})

t.test('a body is the same whatever the order of its keys and the values of its env', async t => {
  const system = await givenSystem()
  const first = await system.create({ metadata: { a: 1, b: 2 }, env: { TOKEN: 'one' } }, { key: 'k' })
  t.equal(await system.create({ env: { TOKEN: 'two' }, metadata: { b: 2, a: 1 } }, { key: 'k' }), first)
  await t.rejects(system.create({ metadata: { a: 1, b: 2 }, env: { OTHER: 'one' } }, { key: 'k' }), conflict)
})

t.test('a given task id finds its task for ever', async t => {
  const system = await givenSystem()
  t.equal(await system.create({ task_id: 'mine' }), 'mine')
  t.equal(await system.create({ task_id: 'mine' }), 'mine')
  await t.rejects(system.create({ task_id: 'mine', user_message_content: 'else' }), conflict)
  const again = await restarted(system)
  t.equal(await again.create({ task_id: 'mine' }), 'mine')
  t.equal(await tasksIn(again), 1)
})

t.test('a deleted task is a conflict, by its id and by its key', async t => {
  const system = await givenSystem()
  await system.create({ task_id: 'mine' }, { key: 'k' })
  await quiet(system)
  await system.commands.remove(admin, 'mine', 'req')
  await t.rejects(system.create({ task_id: 'mine' }), conflict)
  await t.rejects(system.create({ task_id: 'mine' }, { key: 'k' }), conflict)
  const again = await restarted(system)
  await t.rejects(again.create({ task_id: 'mine' }), conflict, 'and after a restart')
})

t.test("another tenant's task does not exist, deleted or not, with a key or without", async t => {
  const system = await givenSystem()
  const notThere = { reason: 'TaskNotFound', http: 404, code: -32001 }
  await system.create({ task_id: 'hers' }, { principal: anna })
  await t.rejects(system.create({ task_id: 'hers' }, { principal: bert }), notThere)
  await t.rejects(system.create({ task_id: 'hers' }, { principal: bert, key: 'k' }), notThere)
  await quiet(system)
  await system.commands.remove(anna, 'hers', 'req')
  await t.rejects(system.create({ task_id: 'hers' }, { principal: bert }), notThere)
})

t.test('when a key is given it alone decides: a new key with a known id is a conflict', async t => {
  const system = await givenSystem()
  await system.create({ task_id: 'mine' })
  await t.rejects(system.create({ task_id: 'mine' }, { key: 'k' }), conflict)
})

t.test('equal calls with one key at the same time are one task', async t => {
  const system = await givenSystem()
  const ids = await Promise.all(Array.from({ length: 8 }, () => system.create({}, { key: 'k' })))
  t.equal(new Set(ids).size, 1)
  t.equal(await tasksIn(system), 1)
})

t.test('equal calls with one id at the same time are one task, other bodies are told', async t => {
  const system = await givenSystem()
  const calls = [
    system.create({ task_id: 'mine' }),
    system.create({ task_id: 'mine' }),
    system.create({ task_id: 'mine', user_message_content: 'else' }),
    system.create({ task_id: 'mine' }, { principal: bert }),
  ]
  const answers = (await Promise.allSettled(calls)).map(answer =>
    answer.status === 'fulfilled' ? answer.value : answer.reason.reason,
  )
  t.same(answers, ['mine', 'mine', 'Conflict', 'TaskNotFound'])
  t.equal(await tasksIn(system), 1)
})

t.test('a retry that overtakes its own first call waits for it', async t => {
  const system = await givenSystem()
  const [first, second, third] = await Promise.all([
    system.create({}),
    system.create({}, retry),
    system.create({}, retry),
  ])
  t.equal(second, first)
  t.equal(third, first)
})

t.test('a call whose first attempt failed is tried anew, once', async t => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  failNext('lost')
  const calls = [
    system.create({}, { key: 'k' }),
    system.create({}, { key: 'k' }),
    system.create({}, { key: 'k' }),
  ]
  const answers = await Promise.allSettled(calls)
  t.equal(answers[0]?.status, 'rejected')
  const ids = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []))
  t.equal(ids.length, 2)
  t.equal(new Set(ids).size, 1)
  t.equal(await tasksIn(system), 1)
})

t.test('a retry finds the only task with its body', async t => {
  const system = await givenSystem()
  const first = await system.create({})
  t.equal(await system.create({}, retry), first)
  t.equal(await system.create({}, retry), first, 'as often as it is asked')
  t.not(await system.create({ user_message_content: 'else' }, retry), first, 'but not with another body')
  t.not(await system.create({}, { ...retry, principal: bert }), first, 'and not for somebody else')
})

t.test('a retry finds it for ten minutes after its end, and while it is unfinished', async t => {
  const system = await givenSystem()
  const ended = await system.create({})
  const long = await system.play([{ pause: 'tea' }])
  await quiet(system)
  await system.world.advance(10 * minute - 1000)
  t.equal(await system.create({}, retry), ended)
  await system.world.advance(1001)
  t.not(await system.create({}, retry), ended)
  t.equal(
    await system.create({ agent_config: { agent_id: 'script', script: [{ pause: 'tea' }] } }, retry),
    long,
  )
})

t.test('among several a retry gets one that was not delivered, and each of them once', async t => {
  const system = await givenSystem()
  const ids = await Promise.all(Array.from({ length: 4 }, () => system.create({})))
  await quiet(system)
  system.idempotency.notDelivered(ids[1] ?? '')
  system.idempotency.notDelivered(ids[2] ?? '')
  const claimed = [await system.create({}, retry), await system.create({}, retry)]
  t.same(claimed.sort(), [ids[1], ids[2]].sort())
  const fresh = await system.create({}, retry)
  t.notOk(ids.includes(fresh), 'then it is a new task')
})

t.test('retries at the same time never claim the same one', async t => {
  const system = await givenSystem()
  const ids = await Promise.all(Array.from({ length: 3 }, () => system.create({})))
  for (const id of ids) system.idempotency.notDelivered(id)
  const claimed = await Promise.all(ids.map(() => system.create({}, retry)))
  t.same(claimed.sort(), [...ids].sort())
})

t.test('a claim that was not delivered either can be claimed again', async t => {
  const system = await givenSystem()
  const ids = await Promise.all([system.create({}), system.create({})])
  system.idempotency.notDelivered(ids[0])
  t.equal(await system.create({}, retry), ids[0])
  system.idempotency.notDelivered(ids[0])
  t.equal(await system.create({}, retry), ids[0])
})

t.test('an unfinished one that was not delivered comes before a finished one', async t => {
  const system = await givenSystem()
  const body = { agent_config: { agent_id: 'script', script: [{ sleep_ms: 1000 }] } }
  const done = await system.create(body)
  await system.world.advance(1100)
  const open = [await system.create(body), await system.create(body)]
  for (const id of [done, ...open]) system.idempotency.notDelivered(id)
  t.equal(await system.create(body, retry), open[0], 'the oldest unfinished')
  t.equal(await system.create(body, retry), open[1])
  t.equal(await system.create(body, retry), done)
})

t.test(
  'after a restart every one counts as not delivered: unfinished oldest first, then finished newest first',
  async t => {
    const system = await givenSystem()
    const body = { agent_config: { agent_id: 'script', script: [{ sleep_ms: 1000 }] } }
    const done = [await system.create(body), await system.create(body)]
    await system.world.advance(1100)
    const open = [await system.create(body), await system.create(body)]
    await quiet(system)
    const again = await crashed(system)
    const claimed = []
    for (let n = 0; n < 4; n++) claimed.push(await again.create(body, retry))
    t.same(claimed, [open[0], open[1], done[1], done[0]])
    const fresh = await again.create(body, retry)
    t.notOk([...done, ...open].includes(fresh), 'each once')
  },
)

t.test('a task made after the restart is not taken for an old one', async t => {
  const system = await givenSystem()
  const old = await system.create({})
  await quiet(system)
  const again = await restarted(system)
  const fresh = await again.create({})
  t.equal(await again.create({}, retry), old)
  const third = await again.create({}, retry)
  t.notOk([old, fresh].includes(third))
})

t.test('the key of a create that was stored though its write failed is not used twice', async t => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  failNext('kept')
  await t.rejects(system.create({}, { key: 'k' }))
  await system.create({}, { key: 'k' })
  await system.world.advance(2000)
  t.equal(await tasksIn(system), 1)
})

t.test('a given id of a create that was stored though its write failed finds its task', async t => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  failNext('kept')
  await t.rejects(system.create({ task_id: 'mine' }))
  t.equal(await system.create({ task_id: 'mine' }).catch(error => error.reason), 'mine')
  await system.world.advance(2000)
  t.equal(await tasksIn(system), 1)
})

t.test('secrets of a create that found its task are not kept twice', async t => {
  const kept = new Set<string>()
  const system = await givenSystem()
  const put = system.options.secrets.put
  system.options.secrets.put = (ref, values) => {
    kept.add(ref)
    put(ref, values)
  }
  const body = { env: { TOKEN: 'x' }, agent_config: { agent_id: 'script', script: [{ pause: 'tea' }] } }
  await system.create(body, { key: 'k' })
  await system.create(body, { key: 'k' })
  t.equal(kept.size, 1)
  await settle()
})
