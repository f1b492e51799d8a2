// What the contract says about deliveries, each sentence with the clock of the test.
import t from 'tap'
import { until } from '../support/http.ts'
import { admin, givenSystem, holdReadModels, quiet } from '../support/system.ts'
import { asked, day, hour, info, make, type Reply, receiver, second, settleAll } from './without-network.ts'

const refusals = (count: number): Reply[] => Array.from({ length: count }, () => 500)

t.test('a change of a failing webhook tries the event again at once, even with the same URL', async t => {
  const hook = receiver(refusals(3))
  const system = await givenSystem(hook)
  const { webhook } = await make(system, { types: ['TaskCreated'] })
  await system.create({})
  await hook.world.advance(10 * second)
  t.match(info(system, webhook.id), { failing: { attempts: 2 } }, 'the next try is minutes away')
  for (const failing of [{ attempts: 1 }, null]) {
    await system.webhooks.commands.change(asked, webhook.id, {
      body: { url: webhook.settings.url },
      found: [],
    })
    await settleAll(system)
    t.match(info(system, webhook.id), { failing })
  }
  t.equal(hook.accepted().length, 1)
  await system.close()
})

t.test('a body over 1 MiB is sent as any other, and skipped after nine tries that failed', async t => {
  const hook = receiver()
  const system = await givenSystem(hook)
  const { webhook } = await make(system, { types: ['AgentError', 'TaskCreated'] })
  const long = () => system.play([{ fail: { code: -32000, message: 'x'.repeat(1_100_000) } }])
  await long()
  await settleAll(system)
  t.match(
    hook.requests.map(({ ok, body }) => [ok, body.length > 1024 * 1024]),
    [
      [true, false],
      [true, true],
    ],
    'a receiver that takes it has it',
  )
  hook.replies.push(200, ...refusals(9))
  const failed = await long()
  await until(async () => system.get(failed).status === 'failed')
  await system.create({})
  await quiet(system)
  await hook.world.advance(4 * day)
  const later = hook.requests.slice(2)
  t.same(
    later.map(({ id }) => later.findIndex(other => other.id === id)),
    [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10],
  )
  const listed = system.webhooks.queries.deliveries(asked.principal, webhook.id, {
    limit: 2,
    after: undefined,
  })
  t.match(listed, [{ outcome: 'delivered' }, { type: 'AgentError', outcome: 'skipped', attempts: 9 }])
  t.match(info(system, webhook.id), { disabled: null })
  await system.close()
})

t.test('five days without a success disable a webhook, and a success begins them anew', async t => {
  const hook = receiver(refusals(10))
  const system = await givenSystem(hook)
  const { webhook } = await make(system, { types: ['TaskCreated'] })
  await system.create({})
  await quiet(system)
  await hook.world.advance(4.5 * day)
  t.match(info(system, webhook.id), { disabled: null, failing: null, delivered: 1 })
  hook.replies.push(...refusals(100))
  await system.create({})
  await quiet(system)
  await hook.world.advance(4.5 * day)
  t.match(info(system, webhook.id), { disabled: null, failing: {} }, 'nine days with one success')
  await hook.world.advance(2 * day)
  t.match(info(system, webhook.id), { disabled: 'failing' })
  await system.close()
})

t.test('410 disables at the first try, and a webhook that is enabled again sends its backlog', async t => {
  const hook = receiver([200, 410])
  const system = await givenSystem(hook)
  const { webhook } = await make(system, { types: ['TaskCreated'] })
  for (let n = 0; n < 3; n++) await system.create({})
  await settleAll(system)
  t.equal(hook.requests.length, 2)
  t.match(info(system, webhook.id), { disabled: 'gone' })
  await system.webhooks.commands.change(asked, webhook.id, { body: { enabled: true }, found: [] })
  await settleAll(system)
  const [first, gone, ...backlog] = hook.requests.map(({ id }) => Number(id))
  t.equal(backlog[0], gone, 'it begins with the event that was refused')
  t.same(backlog.length, 2)
  t.ok((backlog[1] ?? 0) > (backlog[0] ?? 0) && (gone ?? 0) > (first ?? 0))
  await system.close()
})

t.test('the old secret signs too for 24 hours, and not longer', async t => {
  const hook = receiver()
  const system = await givenSystem(hook)
  const { webhook } = await make(system, { types: ['TaskCreated'] })
  const signatures = async () => {
    await system.create({})
    await settleAll(system)
    return hook.requests.at(-1)?.signatures
  }
  t.equal(await signatures(), 1)
  await system.webhooks.commands.rotate(asked, webhook.id, undefined)
  t.equal(await signatures(), 2)
  await hook.world.advance(23.9 * hour)
  t.equal(await signatures(), 2)
  await hook.world.advance(0.2 * hour)
  t.equal(await signatures(), 1)
  await system.close()
})

t.test('a webhook in the form of another protocol tells the end, whenever its task has ended', async t => {
  const hook = receiver()
  const system = await givenSystem(hook)
  const push = { protocol: 'a2a' as const, id: 'mine', url: 'https://x.example/', headers: {} }
  const begin = (id: string) => system.webhooks.commands.push(asked, id, push)
  const cancel = (id: string) => system.tasks.commands.cancel(admin, id, 'req')
  const moments = [
    async (id: string) => [await begin(id), await cancel(id)],
    (id: string) => Promise.all([begin(id), cancel(id)]),
    (id: string) => Promise.all([cancel(id), begin(id)]),
    async (id: string) => [await cancel(id), await begin(id)],
  ]
  for (const both of moments) {
    const id = await system.play([{ pause: 'why' }])
    await quiet(system)
    const before = hook.requests.length
    await both(id)
    await settleAll(system)
    const ends = hook.requests.slice(before).filter(({ body }) => body.includes('TASK_STATE_CANCELED'))
    t.equal(ends.length, 1, both.toString())
    t.equal([...system.webhooks.queries.there()].length, 0, 'it ends with its task')
  }
  await system.close()
})

t.test('a webhook of another protocol does not stay when its maker hears of a failure', async t => {
  const hook = receiver()
  const system = await givenSystem(hook)
  const push = { protocol: 'a2a' as const, id: 'mine', url: 'https://x.example/', headers: {} }
  const id = await system.play([{ pause: 'why' }])
  await quiet(system)
  const ending = system.tasks.commands.cancel(admin, id, 'req')
  const begun = system.webhooks.commands.push(asked, id, push)
  const release = holdReadModels(system)
  await t.rejects(begun, /catching up with the log/)
  await ending
  await release()
  await settleAll(system)
  t.equal(system.webhooks.commands.pushes(admin, id).length, 0)
  await system.close()
})
