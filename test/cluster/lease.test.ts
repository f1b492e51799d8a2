// One node at a time holds the lease of a shard.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import '../support/built.ts'
import t, { type Test } from 'tap'
import type { NatsSettings } from '../../src/bus/nats/nats-settings.ts'
import { openServers } from '../../src/cluster/nats/setup.ts'
import { natsServer, noNats, wayTo } from '../support/nats.ts'
import { leaseOf, overlaps } from './lease-support.ts'

t.jobs = 5 // they mostly wait

/** Shorter times than usual, since each test waits for some of them. */
const short = { beatMs: 200, leaseMs: 1000 }
const a = { name: 'a', url: 'http://a:8080' }
const b = { name: 'b', url: 'http://b:8080' }
const nodes = (t: Test, settings: NatsSettings, ofOther = settings) => ({
  one: leaseOf(t, { settings, node: a, ...short }),
  two: leaseOf(t, { settings: ofOther, node: b, ...short }),
})
const settingsOf = (url: string): NatsSettings => ({
  servers: [url.replace('nats://', '')],
  login: { by: 'nothing' },
  tls: undefined,
  shown: url,
})
const servers = async (t: Test) => {
  const server = await natsServer(t)
  const settings = settingsOf(server.url)
  const opened = await openServers(settings)
  await opened.setUp(0)
  await opened.close()
  return { server, settings }
}

if (noNats) t.plan(0, noNats)
else {
  t.test('the first node that wants the lease holds it, and all know it', async t => {
    const { settings } = await servers(t)
    const { one, two } = nodes(t, settings)
    t.notOk(one.isMine())
    t.equal(one.holder(), undefined)
    one.want(true)
    await Promise.all([one.is('mine'), two.is('theirs')])
    two.want(true)
    t.ok(one.isMine())
    t.notOk(two.isMine())
    t.same([one.holder(), two.holder()], [a, a])

    const before = performance.now()
    await Promise.all([one.release(), two.is('mine'), one.is('theirs')])
    t.ok(performance.now() - before < 1000, 'a lease that is given away is taken within a second')
    t.same([one.isMine(), two.isMine()], [false, true])
    t.same([one.holder(), two.holder()], [b, b])
    t.same(overlaps(one.holdings.all(), two.holdings.all()), [])

    one.want(true)
    await two.close()
    await one.is('mine')
    t.same(one.holder(), a)
  })

  t.test('a node that wants nothing leaves the lease free', async t => {
    const { settings } = await servers(t)
    const { one, two } = nodes(t, settings)
    one.want(true)
    await Promise.all([one.is('mine'), two.is('theirs')])
    await Promise.all([one.release(), two.is('free')])
    t.equal(two.holder(), undefined)
    t.same(two.told.includes('mine'), false)
  })

  t.test('a holder that was frozen does not hold the lease at the first look', async t => {
    const { settings } = await servers(t)
    const file = path.join(import.meta.dirname, 'lease-child.ts')
    const given = JSON.stringify({ settings, node: a, ...short })
    const child = spawn(process.execPath, [file, given], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const line = async () => JSON.parse((await lines.next()).value)
    t.same(await line(), { now: 'mine' })

    const other = leaseOf(t, { settings, node: b, ...short })
    other.want(true)
    await other.is('theirs')
    child.kill('SIGSTOP')
    await other.is('mine')
    child.stdin.write('is it yours?\n')
    child.kill('SIGCONT')
    const said: { isMine?: boolean; now?: string; holdings?: [] }[] = []
    while (said.at(-1)?.isMine === undefined) said.push(await line())
    t.equal(said.at(-1)?.isMine, false)
    t.notOk(said.some(({ now }) => now === 'mine'))
    t.ok(other.isMine())
    t.same(overlaps(said.at(-1)?.holdings ?? [], other.holdings.all()), [])
  })

  t.test('a holder that the servers lost for a time goes on, and a lease that is cut off ends', async t => {
    const { server, settings } = await servers(t)
    const way = await wayTo(t, server.port)
    const { one, two } = nodes(t, settingsOf(way.url), settings)
    one.want(true)
    await Promise.all([one.is('mine'), two.is('theirs')])
    await server.kill()
    await Promise.all([one.is('free'), two.is('free')])
    t.notOk(one.isMine())
    await server.start()
    await Promise.all([one.is('mine'), two.is('theirs')])

    two.want(true)
    way.hold()
    await Promise.all([one.is('free'), two.is('mine')])
    way.release()
    await one.is('theirs')
    t.same(one.holder(), b)
    t.same(overlaps(one.holdings.all(), two.holdings.all()), [])
  })

  // It blocks this thread, so it runs alone.
  t.test('a busy main thread does not cost the lease', { buffered: false }, async t => {
    const { settings } = await servers(t)
    const { one, two } = nodes(t, settings)
    one.want(true)
    await one.is('mine')
    two.want(true)
    await two.is('theirs')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * short.leaseMs)
    t.ok(one.isMine())
    await new Promise(resolve => setImmediate(resolve))
    t.same(one.told, ['mine'])
    t.notOk(two.told.includes('mine'))
  })
}
