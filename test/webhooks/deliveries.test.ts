// Deliveries over time: retries, the end of patience, tokens, and crashes at every step. The clock is the test's.
import t from 'tap'
import { subjectOf } from '../../src/bus/nats/nats-subject.ts'
import { publishedOf } from '../../src/bus/published.ts'
import type { Principal } from '../../src/contract/events/token-events.ts'
import { StorageFailure } from '../../src/contract/stored.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Row, Store } from '../../src/log/store.ts'
import { crashed, givenSystem, memorySecrets, quiet, rowsOf, storeOf } from '../support/system.ts'
import {
  asked,
  day,
  expected,
  hour,
  info,
  make,
  type Reply,
  receiver,
  second,
  settleAll,
} from './without-network.ts'

t.test(
  'a failing event is tried again after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, and then daily',
  async t => {
    const { outside, requests, world, replies } = receiver()
    const system = await givenSystem({ outside, world })
    const { webhook } = await make(system, { types: ['TaskCreated'] })
    replies.push(...Array.from({ length: 30 }, (): Reply => 500))
    await system.create({})
    await quiet(system)
    await world.advance(7 * day)
    const waits = requests.slice(1).map(({ at }, n) => (at - (requests[n]?.at ?? 0)) / second)
    const wanted = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, 86_400, 86_400]
    for (const [n, wait] of waits.entries())
      t.ok(Math.abs(wait - (wanted[n] ?? 0)) <= (wanted[n] ?? 0) * 0.2 + 0.01, `wait ${n}: ${wait}`)
    t.match(info(system, webhook.id), { disabled: 'failing' })
    t.ok(waits.reduce((sum, wait) => sum + wait, 0) >= 5 * 86_400, 'not before 5 days')
    t.ok(requests.every(({ id }) => id === requests[0]?.id))
    const count = requests.length
    await system.create({})
    await world.advance(day)
    t.equal(requests.length, count, 'a disabled webhook is not called')
    const told = (await system.stored()).filter(({ header }) => header.type === 'WebhookDisabled')
    t.match(told, [{ data: { reason: 'failing' } }])
    const [shown] = publishedOf(told)
    t.match(shown?.event, { type: 'WebhookDisabled', webhook_id: webhook.id, reason: 'failing' })
    t.equal(shown && subjectOf(shown), `reprise.events.=.webhook.WebhookDisabled.${webhook.id}`)

    replies.length = 0
    await system.webhooks.commands.change(asked, webhook.id, { body: { enabled: true }, found: [] })
    await settleAll(system)
    t.equal(requests.length, count + 2, 'the backlog comes when it is enabled again')
    await system.close()
  },
)

t.test('Retry-After lengthens a wait, up to a day', async t => {
  const { outside, requests, world } = receiver([
    { status: 429, headers: { 'retry-after': '60' } },
    { status: 503, headers: { 'retry-after': '9999999' } },
  ])
  const system = await givenSystem({ outside, world })
  await make(system, { types: ['TaskCreated'] })
  await system.create({})
  await quiet(system)
  await world.advance(3 * day)
  const waits = requests.slice(1).map(({ at }, n) => at - (requests[n]?.at ?? 0))
  t.same(waits, [60 * second, day])
  await system.close()
})

t.test('an event that the receiver refuses with 400 or 413 is skipped after nine tries', async t => {
  const { outside, requests, world } = receiver([...Array.from({ length: 9 }, (_, n) => (n % 2 ? 413 : 400))])
  const system = await givenSystem({ outside, world })
  const { webhook } = await make(system, { types: ['TaskCreated'] })
  await system.create({})
  await system.create({})
  await quiet(system)
  await world.advance(4 * day)
  t.same(
    requests.map(({ id }) => requests.findIndex(other => other.id === id)),
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 9],
  )
  const deliveries = system.webhooks.queries.deliveries(asked.principal, webhook.id, {
    limit: 10,
    after: undefined,
  })
  t.match(deliveries, [{ outcome: 'delivered' }, { outcome: 'skipped', attempts: 9, status: 400 }])
  const tries = deliveries[1]?.tries ?? []
  t.equal(tries.length, 9, 'each try is listed, not only the last one')
  t.same(
    tries.map(({ status, by }) => [status, by]),
    Array.from({ length: 9 }, (_, n) => [n % 2 ? 413 : 400, null]),
  )
  t.same(
    tries.map(({ at }) => at).toSorted(),
    tries.map(({ at }) => at),
    'oldest first',
  )
  await system.close()
})

t.test('410 disables at once, and a hanging receiver fails after 15 s', async t => {
  const { outside, world } = receiver(['hang', 410])
  const system = await givenSystem({ outside, world })
  const { webhook } = await make(system)
  await system.create({})
  await quiet(system)
  await world.advance(15 * second)
  t.match(info(system, webhook.id), { failing: { error: 'no answer within 15 s', attempts: 1 } })
  await world.advance(10 * second)
  t.match(info(system, webhook.id), { disabled: 'gone' })
  await system.close()
})

t.test('everything comes at least once and in order, however the receiver fails', async t => {
  const troubles: Reply[] = [500, 'fail', 200, 429, 200, 200, 'hang', 302, 200, 'fail', 500, 200]
  const hook = receiver(troubles)
  const system = await givenSystem(hook)
  const { webhook } = await make(system)
  for (let n = 0; n < 5; n++) await system.create({})
  for (let n = 0; n < 40; n++) {
    await quiet(system)
    await hook.world.advance(10 * 60 * second)
  }
  t.same(hook.accepted(), await expected(system, webhook.made))
  const checkpoints = (await system.stored()).filter(({ header }) => header.type === 'WebhookCheckpoint')
  const times = checkpoints.map(({ header }) => Date.parse(header.time))
  t.ok(
    times.every((time, n) => n === 0 || time - (times[n - 1] ?? 0) >= 1000),
    'at most one checkpoint a second',
  )
  await system.close()
})

t.test('a crash at any step of any delivery loses nothing and keeps the order', async t => {
  for (let step = 0; step < 24; step++) {
    const hook = receiver([500, 200, 'fail', 200])
    const secrets = memorySecrets()
    let system = await givenSystem({ ...hook, secrets })
    const { webhook } = await make(system)
    let steps = 0
    let killed: Row[] | undefined
    /** Keeps what is stored at this moment; what the server does after it does not count. */
    const look = () => {
      if (steps++ === step) killed = rowsOf(system.store)
    }
    hook.watch(look, () => killed !== undefined) // a step: a request arrived, and its answer is not seen yet
    system.log.onCommit(look) // a step: something was stored, and nothing that follows has begun
    for (let n = 0; n < 3; n++) {
      await system.create({})
      for (let m = 0; m < 8; m++) {
        await hook.world.advance(m * 400)
        if (killed === undefined) continue
        const store = await storeOf(killed)
        await system.close()
        killed = undefined
        system = await givenSystem({ ...system.options, store })
      }
    }
    t.ok(steps > step, 'the step was reached')
    for (let n = 0; n < 30; n++) await hook.world.advance(10 * 60 * second)
    await quiet(system)
    const accepted = hook.accepted()
    const firsts = accepted.filter((id, n) => accepted.indexOf(id) === n)
    t.same(firsts, await expected(system, webhook.made), `a crash at step ${step}`)
    for (const [n, id] of accepted.entries())
      t.ok(
        id <= (accepted[n - 1] ?? 0) || id === firsts[firsts.indexOf(accepted[n - 1] ?? -1) + 1],
        'repeats begin at a checkpoint',
      )
    await system.close()
  }
})

t.test('a webhook stops when the last token of its maker is revoked, and goes on with a new one', async t => {
  const hook = receiver()
  const system = await givenSystem(hook)
  const token = async (type: string, id: string, revision = -1) => {
    const data =
      type === 'TokenCreated' ? { token_id: id, hash: id, role: 'user', user_id: 'ann' } : { token_id: id }
    const about = { owner: 'ann', session_id: '', correlation_id: id, principal: 'admin', causation_id: 'x' }
    const events = [{ type, schema_version: 1, data }]
    await system.log.append([{ stream: `principal-${id}`, expectedRevision: revision, ...about, events }])
  }
  await token('TokenCreated', 'one')
  await token('TokenCreated', 'two')
  const ann: Principal = { id: 'one', role: 'user', userId: 'ann', expiresAt: undefined }
  const { webhook } = await make(system, { types: ['TaskCreated'] }, ann)
  const count = async () => {
    await system.create({ user_id: 'ann' })
    await settleAll(system)
    return hook.requests.length
  }
  t.equal(await count(), 1)
  await token('TokenRevoked', 'one', 0)
  t.equal(await count(), 2, 'the user has another token')
  await token('TokenRevoked', 'two', 0)
  t.equal(await count(), 2)
  t.equal(system.webhooks.mayAct(webhook), false)
  await token('TokenCreated', 'three')
  await settleAll(system)
  t.equal(hook.requests.length, 3, 'what was missed comes')
  await system.close()
})

t.test('the hourly round keeps the secret of a webhook that is being stored', async t => {
  const inner = memoryStore()
  let isHeld = false
  let goOn = () => {}
  const held = new Promise<void>(resolve => {
    goOn = resolve
  })
  const store: Store = {
    ...inner,
    async write(batch) {
      if (isHeld) await held
      await inner.write(batch)
    },
  }
  const hook = receiver()
  const system = await givenSystem({ ...hook, store })
  await settleAll(system)
  isHeld = true
  const making = make(system)
  await hook.world.advance(hour)
  goOn()
  const { webhook, secret } = await making
  t.match(system.options.secrets.get(webhook.secretRef ?? ''), { secret })
  await system.close()
})

t.test(
  'secrets live until their webhook is deleted, and a webhook without its secret is disabled',
  async t => {
    const hook = receiver()
    const secrets = memorySecrets()
    let system = await givenSystem({ ...hook, secrets })
    const { webhook } = await make(system)
    await system.webhooks.commands.rotate(asked, webhook.id, undefined)
    t.equal(secrets.refs().length, 2)
    system = await crashed(system)
    t.equal(secrets.refs().length, 2, 'a start keeps them')
    await hook.world.advance(2 * day)
    t.equal(secrets.refs().length, 1, 'the old one goes after a day')
    await system.webhooks.commands.change(asked, webhook.id, { body: { headers: { 'x-a': '1' } }, found: [] })
    t.equal(secrets.refs().length, 1)
    await system.webhooks.commands.remove(asked, webhook.id)
    t.equal(secrets.refs().length, 0)

    const other = await make(system)
    for (const ref of secrets.refs()) secrets.forget(ref)
    await system.create({})
    await settleAll(system)
    t.match(info(system, other.webhook.id), { disabled: 'secret_missing' })
    t.equal(hook.requests.length, 0)
    await system.close()
  },
)

t.test('a webhook whose secret cannot be read is not disabled: it tries again', async t => {
  const hook = receiver()
  const kept = memorySecrets()
  let isAway = false
  const get: typeof kept.get = ref => {
    if (isAway) throw new StorageFailure('secret values cannot be read')
    return kept.get(ref)
  }
  const system = await givenSystem({ ...hook, secrets: { ...kept, get } })
  const { webhook } = await make(system, { types: ['TaskCreated'] })
  isAway = true
  await system.create({})
  await settleAll(system)
  await hook.world.advance(60 * second)
  t.equal(hook.requests.length, 0)
  t.match(info(system, webhook.id), { disabled: null })
  isAway = false
  await hook.world.advance(10 * second)
  await settleAll(system)
  t.equal(hook.requests.length, 1)
  await system.close()
})

t.test('one slow receiver among many delays nobody else', async t => {
  const hook = receiver()
  const { fetch } = hook.outside
  const outside = {
    ...hook.outside,
    fetch(url: string | URL, init?: RequestInit): Promise<Response> {
      if (String(url).includes('slow')) hook.replies.unshift('hang')
      return fetch(url, init)
    },
  }
  const system = await givenSystem({ outside, world: hook.world })
  await make(system, { url: 'https://slow.example/' })
  for (let n = 0; n < 40; n++) await make(system, { url: `https://x.example/${n}`, types: ['TaskCreated'] })
  await system.create({})
  await quiet(system)
  t.equal(hook.accepted().length, 40)
  await system.close()
})
