// What a command learns of the nodes of a cluster, from servers that listen.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import tap, { type Test } from 'tap'
import { createAskNode } from '../../src/cluster/gateway/ask-node.ts'
import { createHops } from '../../src/cluster/gateway/hop.ts'
import type { SeenNode } from '../../src/cluster/seen-nodes.ts'
import { survey } from '../../src/cluster/survey.ts'
import { clusterKeys, nodeHere, world } from './nodes-here.ts'

const gone = 'http://127.0.0.1:1'
const places = (...urls: string[]) => urls.map(url => ({ url }))
const asking = (hops = clusterKeys.hops) => ({
  ask: createAskNode(createHops({ key: hops, node: 'cli', world })),
  now: Date.now,
})

type Told = { role?: 'owner' | 'standby'; isReady?: boolean; nodes?: SeenNode[]; skewMs?: number }

/** A node that says this about itself. */
const told = async (
  t: Test,
  name: string,
  { role = 'standby', isReady = true, nodes = [], skewMs = 0 }: Told,
) => {
  const cluster = { node: name, role, owner: 'a', conditions: [] }
  const said: { url: string } = { url: '' }
  const node = await nodeHere(t, {
    name,
    skewMs,
    own: new Map([
      [
        '/readyz',
        (_, response) => {
          response.writeHead(isReady ? 200 : 503, { date: new Date(Date.now() + skewMs).toUTCString() })
          response.end(JSON.stringify({ position: 5, cluster }))
        },
      ],
    ]),
    nodeRoutes: (_, response) =>
      response.end(
        JSON.stringify({
          ...cluster,
          ...{ url: said.url, ready: isReady, sequence: 7, position: 5, lag: 0, version: '1.2.3', nodes },
          time: Date.now() + skewMs,
        }),
      ),
  })
  said.url = node.url
  return node
}

tap.test('nodes lead to nodes, and one that is away has its name and its last sign', async t => {
  const b = await told(t, 'b', { isReady: false, skewMs: 5000 })
  const a = await told(t, 'a', {
    role: 'owner',
    nodes: [
      { node: 'b', url: b.url, seenAt: 1 },
      { node: 'c', url: gone, seenAt: 1000 },
    ],
  })
  const found = await survey(asking(), places(a.url, gone), [{ node: 'c', url: gone, seenAt: 900 }])
  t.match(found, [
    { node: 'a', state: 'answers', role: 'owner', ready: true, sequence: 7, version: '1.2.3' },
    { node: 'b', state: 'answers', role: 'standby', ready: false, url: b.url },
    { node: 'c', state: 'away', seenAt: 1000, why: /ECONNREFUSED|bad port/ },
  ])
  t.equal(found.length, 3)
  t.ok(Math.abs((found[1]?.clockMs ?? 0) - 5000) < 1000, `${found[1]?.clockMs}`)
})

tap.test('a node whose clock is wrong, and one with another key, still say what they are', async t => {
  const a = await told(t, 'a', { role: 'owner', skewMs: 90_000 })
  t.match(await survey(asking(), places(a.url), []), [
    {
      node: 'a',
      state: 'refuses',
      role: 'owner',
      why: /its clock differs from that of this machine by (89|90|91) s/,
    },
  ])
  const b = await told(t, 'b', {})
  t.match(await survey(asking(Buffer.alloc(32, 1)), places(b.url), []), [
    {
      node: 'b',
      state: 'refuses',
      ready: true,
      why: /CLUSTER_KEY_FILE is not the key with which the node runs/,
    },
  ])
})

tap.test('a server that is no node of the cluster is said so, never its 404', async t => {
  const server = createServer((_, response) => response.writeHead(404).end('{"message":"404"}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const found = await survey(asking(), places(url), [{ node: 'c', url, seenAt: 5 }])
  t.match(found[0], { node: 'c', state: 'away' })
  t.match(found[1], { url, state: 'foreign', why: /the server there is no node of this cluster/ })
  t.notMatch(JSON.stringify(found), /404/)
})

tap.test('a node is listed once, and a former node whose URL another one has is away', async t => {
  const a = await told(t, 'a', { role: 'owner', nodes: [{ node: 'old', url: gone, seenAt: 1 }] })
  const same = a.url.replace('127.0.0.1', 'localhost')
  const found = await survey(asking(), places(a.url, same), [{ node: 'old', url: a.url, seenAt: 2 }])
  t.match(found, [{ node: 'a' }, { node: 'old', state: 'away', seenAt: 2 }])
  t.equal(found.length, 2)
})

tap.test('a node that does not answer where it listens has the name that its folder has', async t => {
  const found = await survey(
    asking(),
    [{ url: gone, node: 'a' }],
    [{ node: 'a', url: 'http://127.0.0.1:9', seenAt: 3 }],
  )
  t.match(found, [{ node: 'a', state: 'away', seenAt: 3 }])
  t.equal(found.length, 1)
})
