// Nodes that do not fit to each other: which of them end, what they say, and what the others say.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { makeClusterKey, readClusterKeys } from '../../src/cluster/cluster-key.ts'
import { createAskNode } from '../../src/cluster/gateway/ask-node.ts'
import { createHops } from '../../src/cluster/gateway/hop.ts'
import { realWorld } from '../../src/platform/world.ts'
import { type Cluster, noNats, startCluster, until } from '../support/cluster.ts'
import { createNode, type Node } from '../support/cluster-node.ts'
import { read } from '../support/http.ts'

t.setTimeout(180_000)

type Condition = { code: string; message: string }
const conditionsOf = async (node: Node): Promise<Condition[]> => {
  const answer = await fetch(`${node.url}/readyz`)
  return ((await answer.json()) as { cluster: { conditions: Condition[] } }).cluster.conditions
}
/** Resolves to what a node says of a condition, as soon as it does. */
const saysOf = async (node: Node, code: string): Promise<string> => {
  const look = async () => (await conditionsOf(node)).find(one => one.code === code)?.message
  return (await until(`${node.name}: ${code}`, look)) as string
}
const linesAbout = (node: Node, code: string): string[] =>
  node
    .said()
    .split('\n')
    .filter(line => line.includes(`"condition":"${code}"`))
    .map(line => JSON.parse(line).message)
/** The lines of a process that ended, without those of its log. */
const lastWords = (said: string): string[] =>
  said.split('\n').filter(line => line !== '' && !line.startsWith('{'))

/** Asks a node for its status, as another node does. */
const statusOf = async ({ folder }: Cluster, node: Node) => {
  const { hops } = readClusterKeys(path.join(folder, 'key'))
  const ask = createAskNode(createHops({ key: hops, node: 'test', world: realWorld() }))
  const { bytes } = await ask(node.url, { method: 'GET', path: '/cluster/status' })
  return JSON.parse(bytes.toString())
}
/** An owner, and a standby that has ended. */
const ownerAlone = async (t: Test) => {
  const cluster = await startCluster(t)
  await cluster.whole()
  const owner = await cluster.owner()
  const standby = cluster.other(owner)
  await standby.kill()
  return { cluster, owner, standby }
}

t.test('nodes that do not fit', { skip: noNats }, async t => {
  const { cluster, owner, standby } = await ownerAlone(t)

  await t.test('a node with another cluster key ends with one line', async t => {
    const folder = mkdtempSync(path.join(tmpdir(), 'reprise-key-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'other-key')
    makeClusterKey(file)
    const { code, said } = await standby.ends({ CLUSTER_KEY_FILE: file })
    t.equal(code, 2)
    t.equal(lastWords(said).length, 1, said)
    t.match(
      said,
      `CLUSTER_KEY_FILE=${file} is not the key of this cluster: replace it with a copy of the key file`,
    )
  })

  await t.test('a node with another ADMIN_TOKEN ends with one line, which has no token', async t => {
    const { code, said } = await standby.ends({ ADMIN_TOKEN: 'another-token-of-somebody' })
    t.equal(code, 2)
    t.equal(lastWords(said).length, 1, said)
    t.match(
      said,
      `ADMIN_TOKEN of the node ${standby.name} is another one than that of the node ${owner.name}: set it to the same value on all nodes`,
    )
    t.notMatch(said, 'another-token')
    t.same(linesAbout(owner, 'settings-clash'), [], 'the owner is not bothered with a node that has ended')
  })

  await t.test('a node with the name of the owner ends with one line', async t => {
    const { code, said } = await standby.ends({ NODE_NAME: owner.name })
    t.equal(code, 2)
    t.equal(lastWords(said).length, 1, said)
    t.match(
      said,
      `another process of this cluster has the name ${owner.name}: set NODE_NAME to a name that no other`,
    )
  })

  await t.test('a third process with the name of the standby ends with one line', async t => {
    await standby.start()
    await cluster.whole()
    const third = await createNode('third', { nats: cluster.nats, folder: cluster.folder, env: {} })
    t.teardown(third.close)
    const { code, said } = await third.ends({ NODE_NAME: standby.name })
    t.equal(code, 2)
    t.match(lastWords(said), [`another process of this cluster has the name ${standby.name}`])
    await cluster.whole()
  })

  await t.test('settings that differ are named on both nodes and in their status', async t => {
    await standby.kill()
    await standby.start({ MAX_STREAMS: '7', TASK_TTL_PAUSED: '7' })
    await cluster.whole() // the standby is ready: it could take over
    const [ours, theirs] = await Promise.all([
      saysOf(owner, 'settings-differ'),
      saysOf(standby, 'settings-differ'),
    ])
    const words = 'differ in MAX_STREAMS and TASK_TTL_PAUSED: set the same value on all nodes'
    t.equal(ours, `the nodes ${owner.name} and ${standby.name} ${words}`)
    t.equal(theirs, `the nodes ${standby.name} and ${owner.name} ${words}`)
    const names = ['MAX_STREAMS', 'TASK_TTL_PAUSED']
    t.match(await statusOf(cluster, owner), { version: String, differing: { [standby.name]: names } })
    t.match(await statusOf(cluster, standby), { differing: { [owner.name]: names } })
    t.match(linesAbout(standby, 'settings-differ'), [words])
    await standby.kill()
    await standby.start()
    await until('the same settings', async () => (await conditionsOf(owner)).length === 0)
    t.match(linesAbout(owner, 'settings-differ'), [words, /^over after/])
  })

  await t.test(
    'a clock that is a minute off is named on both nodes, and writes are refused at once',
    async t => {
      await standby.kill()
      const wrong = {
        SKEW_MS: '60000',
        NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'skewed-clock.mjs')}`,
      }
      await standby.start(wrong)
      const [ours, theirs] = await Promise.all([
        saysOf(owner, 'clock-differs'),
        saysOf(standby, 'clock-differs'),
      ])
      t.match(
        ours,
        `the clock of the node ${standby.name} is 60 s ahead of that of this node, ${owner.name}: set the`,
      )
      t.match(
        theirs,
        `the clock of the node ${owner.name} is 60 s behind that of this node, ${standby.name}: set the`,
      )
      t.equal((await fetch(`${standby.url}/readyz`)).status, 503)
      t.equal((await fetch(`${owner.url}/readyz`)).status, 200)
      const before = performance.now()
      const create = { user_message_content: 'hello', client_id: 'echo', stream: false }
      const answer = await read(standby.api('POST', '/tasks', create))
      t.match([answer.status, answer.headers.get('retry-after')], [503, '1'])
      t.match(
        answer.text,
        `the clock of the node ${standby.name} is 60 s ahead of that of the node ${owner.name}`,
      )
      t.ok(performance.now() - before < 2000)
      await standby.kill()
      await standby.start()
      await cluster.whole()
      await until('the end', async () => (await conditionsOf(owner)).length === 0)
      t.match(linesAbout(owner, 'clock-differs'), [/^the clock of the node/, /^over after/])
    },
  )
})
