// A node runs only with NATS servers that write each record to disk before they confirm it, unless its operator accepts the
// risk.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { createConditions } from '../../src/cluster/conditions.ts'
import { mustNameMonitors, watchSync } from '../../src/cluster/watch-sync.ts'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { realWorld } from '../../src/platform/world.ts'
import { natsServer, noNats } from '../support/nats.ts'
import { noNatsOf, usualNats } from '../support/nats-programs.ts'
import { runReprise } from '../support/server.ts'
import { testWorld } from '../support/world.ts'

t.jobs = 4 // they mostly wait

const noSafe = usualNats()?.isSafe ? false : 'nats-server is too old to sync each record'
const { timers } = realWorld()

/** A watch of these servers, and what it says. */
const watched = async (t: Test, monitorUrls: string[], acceptsUnsynced = false) => {
  const world = testWorld()
  const lines: string[] = []
  const conditions = createConditions({
    ...world,
    report: (level, text) => void lines.push(`${level} ${text}`),
  })
  t.teardown(
    await watchSync({
      settings: { monitorUrls, acceptsUnsynced },
      conditions,
      timers: { ...timers, every: world.timers.every },
    }),
  )
  return { world, lines, conditions }
}
const refusal = async (t: Test, monitorUrls: string[]): Promise<string> => {
  const error = await watched(t, monitorUrls).catch(error => error)
  t.ok(error instanceof CannotStart)
  t.match(error.message, /Or set CLUSTER_ACCEPT_UNSYNCED=1/)
  return error.message
}

t.test('servers that sync late are refused, with their names and the setting', { skip: noSafe }, async t => {
  const server = await natsServer(t, { config: 'server_name: "n1"' })
  t.match(
    await refusal(t, [server.monitorUrl]),
    /set "sync_interval: always" in the block "jetstream" of n1\./,
  )
  t.same((await watched(t, [server.monitorUrl], true)).lines, [])
})

t.test('old servers are refused', { skip: noNatsOf('system') }, async t => {
  const server = await natsServer(t, { line: 'system', config: 'server_name: "n1"' })
  t.match(await refusal(t, [server.monitorUrl]), /use version 2\.12 or later on n1 \(now \d/)
})

t.test('servers that do not tell are refused', { skip: noSafe }, async t => {
  const server = await natsServer(t, { isSynced: true })
  const away = `http://127.0.0.1:${await freePort()}`
  t.match(
    await refusal(t, [server.monitorUrl, away]),
    /most NATS servers do not tell .*: http:\S+ \(ECONNREFUSED\)\. Set "http"/,
  )
  const twoOfThree = [server.monitorUrl, server.monitorUrl, away]
  t.same((await watched(t, twoOfThree)).lines, [], 'one server may be away')
  t.throws(() => mustNameMonitors({ monitorUrls: [], acceptsUnsynced: false }), {
    message: /^NATS_MONITOR_URLS is not set: set it to .* Or set CLUSTER_ACCEPT_UNSYNCED=1/,
  })
})

t.test(
  'a server that is started with other settings later is noticed within a minute',
  { skip: noSafe },
  async t => {
    const server = await natsServer(t, { isSynced: true, config: 'server_name: "n1"' })
    const { world, lines, conditions } = await watched(t, [server.monitorUrl])
    const aMinute = async (isOver: () => boolean) => {
      await world.advance(60_000)
      while (!isOver()) await new Promise(resolve => setTimeout(resolve, 5))
    }
    await server.kill()
    await server.start({ synced: false })
    await aMinute(() => lines.length === 1)
    t.match(conditions.all(), [
      { code: 'unsynced', effect: 'noted', text: /"sync_interval: always" .* of n1$/ },
    ])
    await server.kill()
    await server.start()
    await aMinute(() => lines.length === 2)
    t.match(lines[1], /^warn over after 60 s: the NATS servers may lose/)
    t.same(conditions.all(), [])
  },
)

t.test('a node that may not run ends with one line and exit code 2', { skip: noNats }, async t => {
  const server = await natsServer(t)
  const folder = t.testdir()
  const CLUSTER_KEY_FILE = path.join(folder, 'key')
  writeFileSync(CLUSTER_KEY_FILE, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
  const env = { DATA_DIR: path.join(folder, 'data'), CLUSTER_KEY_FILE, CLUSTER_NATS_URL: server.url }
  t.equal((await runReprise(['cluster', 'init', '--new'], env)).code, 0)
  const port = String(await freePort())
  const node = { ...env, CLUSTER: '1', NODE_NAME: 'a', PORT: port }
  for (const [more, words] of [
    [{}, /^reprise: NATS_MONITOR_URLS is not set: [^\n]+\n$/],
    [
      { NATS_MONITOR_URLS: server.monitorUrl },
      /^reprise: the NATS servers may lose confirmed records [^\n]+\n$/,
    ],
  ] as const) {
    const { code, stderr } = await runReprise(['serve'], { ...node, ...more })
    t.equal(code, 2, stderr)
    t.match(stderr, words)
  }
})
