// reprise cluster status, with real nodes and real NATS servers, in good days and in bad ones.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import tap, { type Test } from 'tap'
import { readSeenNodes } from '../../src/cluster/seen-nodes.ts'
import { noNats, startCluster, until } from '../support/cluster.ts'
import { createNode } from '../support/cluster-node.ts'
import { runReprise } from '../support/server.ts'

const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')

const clusterHere = async (t: Test) => {
  const cluster = await startCluster(t)
  await cluster.whole()
  const owner = await cluster.owner()
  const standby = cluster.other(owner)
  const { settings } = await cluster.nats.client()
  const env = {
    DATA_DIR: owner.dataDir,
    CLUSTER_KEY_FILE: `${cluster.folder}/key`,
    CLUSTER_NATS_URL: settings.servers.map(server => `nats://cluster:only-for-tests@${server}`).join(','),
  }
  /** Runs the command, and checks what holds for it in any state. */
  const status = async (args: string[] = [], more: Record<string, string> = {}) => {
    const result = await runReprise(['cluster', 'status', ...args], { ...env, ...more })
    t.notMatch(`${result.stdout}${result.stderr}`, /\n {4}at |Warning:/, 'no stack trace')
    const longest = Math.max(...result.stdout.split('\n').map(line => line.length))
    if (!args.includes('--json')) t.ok(longest <= 100, `${longest} columns`)
    return result
  }
  const json = async () => JSON.parse((await status(['--json'])).stdout)
  return { cluster, owner, standby, env, status, json }
}

tap.test('status of a cluster from whole to dark', { skip: noNats, timeout: 180_000 }, async t => {
  const { cluster, owner, standby, env, status, json } = await clusterHere(t)
  const { nats } = cluster

  await t.test('all is well: exit code 0, every node, server and stream', async t => {
    const good = await until('a good state', async () => {
      const found = await status()
      return found.code === 0 && found
    })
    t.match(
      good.stdout,
      new RegExp(`\\n?${owner.name} +owner +yes +now +\\d+ +- +[+-]?0\\.\\d s +\\d\\S+ +http`),
    )
    t.match(good.stdout, new RegExp(`\\n?${standby.name} +standby +yes +now +\\d+ +0 +[+-]?0\\.\\d s`))
    for (const place of [0, 1, 2])
      t.match(good.stdout, new RegExp(`\nnats-${place} +\\S+:\\d+ +2\\.\\d+\\.\\d+`))
    t.match(good.stdout, /\nREPRISE_SHARD_0 +nats-\d +3 +\d+ +\d+\.\d MiB\n/)
    t.match(good.stdout, /A node or a NATS server can be lost now/)
    t.match(await json(), {
      redundant: true,
      problems: [],
      nodes: [
        { node: 'a', ready: true, conditions: [], clock_ms: Number, version: String },
        { node: 'b', ready: true },
      ],
      servers: [{ name: 'nats-0', version: /^2/ }, { name: 'nats-1' }, { name: 'nats-2' }],
      streams: [
        { name: 'REPRISE_SHARD_0', missing: false, copies: [{ current: true }, {}, {}] },
        { name: 'REPRISE_LEASE_0' },
      ],
    })
  })

  await t.test('a watch shows it again and again, and Ctrl-C ends it well', async t => {
    const child = spawn(process.execPath, [bin, 'cluster', 'status', '--watch', '--json'], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', chunk => {
      said += chunk
    })
    await until('two lines', () => said.split('\n').length > 2)
    child.kill('SIGINT')
    t.same((await once(child, 'exit'))[0], 0)
    t.notOk(said.includes('\u001b'))
    for (const line of said.trim().split('\n')) t.ok(Array.isArray(JSON.parse(line).nodes))
  })

  await t.test('a standby that was killed is still listed, with its last sign', async t => {
    await standby.kill()
    const found = await status()
    t.equal(found.code, 1)
    t.match(found.stdout, new RegExp(`\\n?${standby.name} +away +- +\\d+ s ago`))
    t.match(found.stdout, /no standby is ready: if the owner is lost, no node takes over/)
    t.match(found.stderr, /things in this cluster are wrong/)
    await owner.kill()
    await owner.start()
    await cluster.owner()
    const { nodes } = await json()
    const away = nodes.find(({ node }: { node: string }) => node === standby.name)
    t.match(away, { state: 'away', last_sign: /^20/ }, 'the owner remembers it after a restart')
    await standby.start()
    await cluster.whole()
    t.equal((await status()).code, 0)
  })

  await t.test('a third node that is away is known to the next owner', async t => {
    const third = await createNode('c', { nats, folder: cluster.folder, env: {} })
    t.teardown(third.close)
    await third.start()
    await until('that the owner knows it', async () => (await status()).stdout.includes('\nc '))
    await third.kill()
    await until('that the standby knows it', () =>
      readSeenNodes(path.join(standby.dataDir, 'nodes.json')).some(({ node }) => node === 'c'),
    )
    await owner.kill()
    await cluster.owner()
    const found = await status([], { DATA_DIR: standby.dataDir })
    t.match(found.stdout, /\nc +away +- +\d+ s ago/)
    t.match(found.stdout, new RegExp(`\\n?${owner.name} +away `))
    await owner.start()
    await cluster.whole()
    t.equal((await runReprise(['cluster', 'forget', 'c'], env)).code, 0)
    t.equal((await runReprise(['cluster', 'move', owner.name], env)).code, 0)
    await cluster.whole()
    t.equal((await status()).code, 0)
  })

  await t.test('a NATS server that is away', async t => {
    await nats.kill(2)
    const found = await until('the loss', async () => {
      const result = await status()
      return /\nnats-2 +\S+ +not reached +away +away\n/.test(result.stdout) && result
    })
    t.equal(found.code, 1)
    t.match(found.stdout, /the NATS server nats-2 \(\S+\) is not reached: /)
  })

  // The loss of a NATS server may have moved the log. Without a majority it stays where it is.
  const last = await cluster.owner()
  await t.test('no majority: it shows what it can, and the owner that answers', async t => {
    await nats.kill(1)
    const found = await until('a stream without a leader', async () => {
      const result = await status()
      return result.stdout.includes('REPRISE_SHARD_0 has no leader') && result
    })
    t.equal(found.code, 1)
    t.match(found.stdout, /the stream REPRISE_SHARD_0 has no leader: most of its NATS servers are away/)
    t.match(found.stdout, new RegExp(`\\n?${last.name} +owner `))
    t.notMatch(found.stdout, /no node that answers owns the log/)
  })

  await t.test('no NATS server at all: the nodes are shown, also from elsewhere', async t => {
    await nats.kill(0)
    const elsewhere = { DATA_DIR: path.join(cluster.folder, 'none') }
    const other = cluster.other(last)
    for (const found of [await status(), await status(['--node', other.url], elsewhere)]) {
      t.equal(found.code, 1)
      t.match(found.stdout, /The streams cannot be seen: no NATS server is reached/)
      t.match(found.stdout, new RegExp(`\\n?${other.name} +standby `))
    }
    t.match(await status([], elsewhere), { code: 3, stderr: /neither a node nor a NATS server is reached/ })
  })

  await t.test('a stream that is missing is named', async t => {
    for (const place of [0, 1, 2]) await nats.start(place)
    await cluster.whole()
    await nats.stream('REPRISE_LEASE_0')
    const connection = await nats.connected()
    await (await jetstreamManager(connection)).streams.delete('REPRISE_LEASE_0')
    await connection.close()
    const found = await status()
    t.equal(found.code, 1)
    t.match(
      found.stdout,
      /the stream REPRISE_LEASE_0 is missing: run reprise cluster init, which makes it again/,
    )
  })
})
