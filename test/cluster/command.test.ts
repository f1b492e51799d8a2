// reprise cluster init, with a real NATS server. status.test.ts has reprise cluster status.
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import tap, { type Test } from 'tap'
import { logIdOf } from '../../src/cluster/beginning.ts'
import { readClusterKeys } from '../../src/cluster/cluster-key.ts'
import { openSharedLog } from '../../src/cluster/nats/shared-log.ts'
import { type ShardStream, shardStream } from '../../src/cluster/nats/streams.ts'
import { clusterNatsOf } from '../../src/cluster/settings.ts'
import { sqliteStore } from '../../src/log/sqlite-store.ts'
import { natsServer, noNats } from '../support/nats.ts'
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
  return { folder, url, run, open, key: path.join(folder, 'data', 'cluster-key') }
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
    t.match(refused.stderr, /the shared log has the id log_one, and that of the folder is log_other/)
  },
)

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
