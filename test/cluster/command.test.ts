// reprise cluster init, with a real NATS server. status.test.ts has reprise cluster status.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import tap, { type Test } from 'tap'
import { logIdOf } from '../../src/cluster/beginning.ts'
import { readClusterKeys } from '../../src/cluster/cluster-key.ts'
import { openSharedLog } from '../../src/cluster/nats/shared-log.ts'
import { type ShardStream, shardStream } from '../../src/cluster/nats/streams.ts'
import { unpackContent } from '../../src/cluster/records/content.ts'
import { openRecord } from '../../src/cluster/records/form.ts'
import { clusterNatsOf } from '../../src/cluster/settings.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { openLog } from '../../src/log/log.ts'
import { to } from '../log/support.ts'
import { pause } from '../support/http.ts'
import { natsServer, noNats } from '../support/nats.ts'
import { natsCluster, type Place, until } from '../support/nats-cluster.ts'
import { runReprise } from '../support/server.ts'
import { world } from './nodes-here.ts'

const { timers } = world

/** A NATS server, a data folder, and the commands with both. */
const clusterHere = async (t: Test) => {
  const nats = await natsServer(t)
  const folder = t.testdir()
  const url = `nats://127.0.0.1:${nats.port}`
  const env = { DATA_DIR: path.join(folder, 'data') }
  const run = (args: string[], more: Record<string, string> = {}) =>
    runReprise(['cluster', ...args], { ...env, CLUSTER_NATS_URL: url, ...more })
  const open = async (stream: ShardStream) => {
    const settings = clusterNatsOf({ NATS_URL: url })
    const log = await openSharedLog({ ...stream, settings, timers, report: () => {} })
    t.teardown(log.close)
    return log
  }
  /** Deletes the stream of the log, as an operator could. */
  const deleteStream = async () => {
    const manager = await jetstreamManager(await nats.client(t))
    await manager.streams.delete(shardStream(0).name)
  }
  return { folder, url, run, open, deleteStream, key: path.join(folder, 'data', 'cluster-key') }
}

tap.test('init makes everything once, and says what is there already', { skip: noNats }, async t => {
  const { url, key, run, open } = await clusterHere(t)
  const first = await run(['init', '--nats', url], { CLUSTER_NATS_URL: '' })
  t.equal(first.code, 0, first.stderr)
  t.match(
    first.stdout,
    /^Key +.*cluster-key \(made: copy it to every node\)\nStreams +REPRISE_SHARD_0, REPRISE_LEASE_0/,
  )
  t.match(first.stderr, /There is one NATS server\. Use three/)
  t.equal(statSync(key).mode & 0o777, 0o600)
  const text = readFileSync(key, 'utf8')
  const shared = await open(shardStream(0))
  const id = await logIdOf(shared, readClusterKeys(key).records)
  t.match(first.stdout, `Log      ${id}\n`)

  const again = await run(['init', '--json'])
  t.equal(again.code, 0, again.stderr)
  t.match(JSON.parse(again.stdout), { key_file: key, key_made: false, streams: { created: [] }, log_id: id })
  t.equal(readFileSync(key, 'utf8'), text)
  t.equal(await shared.tail(), 1)
})

tap.test(
  'init can go on with the log of a folder, and refuses that of another one',
  { skip: noNats },
  async t => {
    const { folder, run } = await clusterHere(t)
    for (const name of ['one', 'other']) {
      mkdirSync(path.join(folder, name))
      const store = sqliteStore(path.join(folder, name, 'log.db'), () => `log_${name}`)
      await store.close()
    }
    const made = await run(['init', '--json', '--data', path.join(folder, 'one')])
    t.equal(made.code, 0, made.stderr)
    t.match(JSON.parse(made.stdout), { log_id: 'log_one' })
    const refused = await run(['init', '--data', path.join(folder, 'other')])
    t.equal(refused.code, 2)
    t.match(refused.stderr, /the shared log has the id log_one, and that of the node is log_other/)
  },
)

tap.test('init never begins another log where nodes may have one', { skip: noNats }, async t => {
  const { folder, key, run, open, deleteStream } = await clusterHere(t)
  mkdirSync(path.join(folder, 'one'))
  const store = sqliteStore(path.join(folder, 'one', 'log.db'), () => 'log_one')
  await openLog(store, { ...world, build: 'test' }).append([to('a', -1, { n: 1 })])
  await store.close()
  const data = ['--data', path.join(folder, 'one')]
  t.equal((await run(['init', ...data])).code, 0)

  await deleteStream()
  const refused = await run(['init'])
  t.equal(refused.code, 2)
  t.match(
    refused.stderr,
    /REPRISE_SHARD_0 is empty, but the key .* was there: nodes of this cluster may have a log/,
  )
  t.match(
    refused.stderr,
    /run "reprise cluster init --data DATA_DIR" on the machine of the node that owned the log/,
  )
  t.equal((await run(['init', '--again'])).code, 2)

  const made = await run(['init', '--json', ...data])
  t.match(JSON.parse(made.stdout), { log_id: 'log_one', streams: { created: [] } })
  const shared = await open(shardStream(0))
  const begun = unpackContent(
    openRecord(readClusterKeys(key).records, (await shared.read(0, 1))[0] as never).content,
  )
  t.match(begun, { kind: 'begin', facts: { log_id: 'log_one', position: 1 } })

  const again = await run(['init', '--again', '--json', ...data])
  t.match(JSON.parse(again.stdout), { log_id: 'log_one', streams: { created: ['REPRISE_SHARD_0'] } })

  await deleteStream()
  const anew = await run(['init', '--new', '--json'])
  t.equal(anew.code, 0, anew.stderr)
  t.not(JSON.parse(anew.stdout).log_id, 'log_one')
  const other = await run(['init', ...data])
  t.equal(other.code, 2)
  t.match(other.stderr, /that of the node is log_one: nothing was changed. .* add --again/)
})

tap.test(
  'init does not join a log that went on alone to the shared log that it has left',
  { skip: noNats },
  async t => {
    const { folder, run, open } = await clusterHere(t)
    const one = path.join(folder, 'one')
    mkdirSync(one)
    await sqliteStore(path.join(one, 'log.db'), () => 'log_one').close()
    const init = (...more: string[]) => run(['init', '--data', one, '--json', ...more])
    t.equal((await init()).code, 0)
    t.equal((await init()).code, 0, 'before a node has started, nothing speaks against it')

    const shared = await open(shardStream(0))
    await shared.append(1, Buffer.from('a record of a node'))
    const refused = await init()
    t.equal(refused.code, 2)
    t.match(refused.stderr, /the folder of --data is in no cluster, .*: nothing was changed. .* add --again/)
    t.equal(await shared.tail(), 2)

    writeFileSync(path.join(one, 'stream-keys.db'), '')
    t.equal((await init()).code, 0, 'the folder of a node belongs to the shared log')
    rmSync(path.join(one, 'stream-keys.db'))
    const again = await init('--again')
    t.match(JSON.parse(again.stdout), { log_id: 'log_one', streams: { created: ['REPRISE_SHARD_0'] } })
  },
)

tap.test('init waits while the NATS servers choose another leader', { skip: noNats }, async t => {
  const nats = await natsCluster(t)
  const leader = (await until('a leader of all', () => nats.leaderOfAll())) as Place
  const others = [0, 1, 2].filter(place => place !== leader)
  const { settings } = await nats.client(others)
  nats.freeze(leader)
  t.teardown(() => nats.thaw(leader))
  const env = { NATS_USER: 'cluster', NATS_PASSWORD: 'only-for-tests', DATA_DIR: t.testdir() }
  const done = until('the streams', async () => {
    const { code, stdout, stderr } = await runReprise(['cluster', 'init', '--nats', settings.shown], env)
    t.equal(code, 0, stderr)
    return stdout
  })
  await pause(9000)
  nats.thaw(leader)
  t.match(await done, /REPRISE_SHARD_0, REPRISE_LEASE_0 \(created\)/)
})

tap.test('init says what is wrong', { skip: noNats }, async t => {
  const { folder, run } = await clusterHere(t)
  t.equal((await run(['init'])).code, 0)
  const other = await run(['init', '--key', path.join(folder, 'other-key')])
  t.equal(other.code, 2)
  t.match(
    other.stderr,
    /other-key is not the key of this cluster: replace it with a copy of the key file of one of its nodes/,
  )
  const cases: [string[], Record<string, string>, RegExp][] = [
    [['init', '--shards', '2'], {}, /--shards 2: a cluster has 1 shard/],
    [['init'], { CLUSTER_NATS_URL: '' }, /a cluster needs NATS/],
    [['init'], { CLUSTER_NATS_URL: 'nats://127.0.0.1:1' }, /no server at nats:\/\/127\.0\.0\.1:1 is reached/],
    [['init', '--data', path.join(folder, 'none')], {}, /no log here/],
    [
      ['status'],
      { CLUSTER_KEY_FILE: path.join(folder, 'none') },
      /does not exist: copy the file of another node/,
    ],
  ]
  for (const [args, env, words] of cases) {
    const { code, stderr } = await run(args, env)
    t.equal(code, words.source.includes('is reached') ? 3 : 2, args.join(' '))
    t.match(stderr, words)
  }
})
