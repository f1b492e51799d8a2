// The variables of a node of a cluster: what they give, and which values end the start.
import { hostname } from 'node:os'
import path from 'node:path'
import tap from 'tap'
import { clusterOf } from '../../src/cluster/settings.ts'
import { CannotStart } from '../../src/contract/cannot-start.ts'

const least = { CLUSTER: '1', NATS_URL: 'nats://n1,nats://n2:4223', NODE_NAME: 'a' }

tap.test('a server is a node of a cluster only if it is told so', async t => {
  for (const env of [{}, { CLUSTER: '' }, { CLUSTER: '0', NATS_URL: 'nats://n1' }])
    t.equal(clusterOf(env), undefined)
  t.match(clusterOf(least), {
    node: 'a',
    url: 'http://127.0.0.1:8080',
    keyFile: path.resolve('data/cluster-key'),
    nats: { servers: ['n1:4222', 'n2:4223'], login: { by: 'nothing' } },
    monitorUrls: [],
    acceptsUnsynced: false,
    waitMs: 60_000,
  })
})

tap.test('every variable has its effect', async t => {
  const urlOf = (env: Record<string, string>) => clusterOf({ ...least, ...env })?.url
  t.equal(clusterOf({ ...least, NODE_NAME: '' })?.node, hostname())
  t.equal(urlOf({ HOST: '10.0.0.7', PORT: '81' }), 'http://10.0.0.7:81')
  t.equal(urlOf({ HOST: '::1', PORT: '81' }), 'http://[::1]:81')
  t.equal(urlOf({ HOST: '0.0.0.0', NODE_URL: 'https://a.internal/' }), 'https://a.internal')
  t.equal(clusterOf({ ...least, CLUSTER_KEY_FILE: '/k' })?.keyFile, '/k')
  t.equal(clusterOf({ ...least, DATA_DIR: '/d' })?.keyFile, '/d/cluster-key')
  t.equal(clusterOf({ ...least, CLUSTER_WAIT_SECONDS: '5' })?.waitMs, 5000)
  t.same(clusterOf({ ...least, NATS_MONITOR_URLS: 'http://n1:8222/, https://n2/nats/' })?.monitorUrls, [
    'http://n1:8222',
    'https://n2/nats',
  ])
  t.equal(clusterOf({ ...least, CLUSTER_ACCEPT_UNSYNCED: '1' })?.acceptsUnsynced, true)
})

tap.test('the shared log can have other servers and another user than the public events', async t => {
  const events = { ...least, NATS_USER: 'events', NATS_PASSWORD: 'e' }
  t.match(clusterOf(events)?.nats, { login: { by: 'user', user: 'events' } })
  const apart = clusterOf({ ...events, CLUSTER_NATS_URL: 'nats://cluster:c@n3' })
  t.match(apart?.nats, { servers: ['n3:4222'], login: { by: 'user', user: 'cluster', password: 'c' } })
  t.match(clusterOf({ ...events, CLUSTER_NATS_URL: 'nats://n3' })?.nats, {
    login: { by: 'user', user: 'events' },
  })
})

tap.test('a wrong value ends the start with what to do', async t => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ CLUSTER: 'yes' }, /^CLUSTER=yes is neither 0 nor 1/],
    [{ NATS_URL: '' }, /^a cluster needs NATS: set NATS_URL or CLUSTER_NATS_URL/],
    [{ CLUSTER_NATS_URL: 'http://n1' }, /^CLUSTER_NATS_URL begins with http:/],
    [{ NATS_URL: 'http://n1' }, /^NATS_URL begins with http:/],
    [{ NODE_NAME: 'a b' }, /^NODE_NAME=a b is no name of a node: set NODE_NAME/],
    [{ NODE_NAME: 'a'.repeat(65) }, /is no name of a node/],
    [{ HOST: '0.0.0.0' }, /^HOST=0\.0\.0\.0 is no address of one machine: set NODE_URL/],
    [{ HOST: '::' }, /^HOST=:: is no address/],
    [{ PORT: '0' }, /^PORT=0 gives another port .* set NODE_URL/],
    [{ NODE_URL: 'a:8080' }, /^NODE_URL=a:8080 is no URL of a node/],
    [{ NODE_URL: 'http://me:secret@a' }, /^NODE_URL=http:\/\/\*\*\*@a is no URL/],
    [{ NODE_URL: 'http://a/b' }, /is no URL of a node/],
    [{ CLUSTER_WAIT_SECONDS: '0' }, /^CLUSTER_WAIT_SECONDS=0 is not a whole number from 1/],
    [{ NATS_MONITOR_URLS: 'n1:8222' }, /^NATS_MONITOR_URLS has n1:8222, which is no monitoring address/],
    [{ NATS_MONITOR_URLS: 'http://a:b@n1' }, /^NATS_MONITOR_URLS has http:\/\/\*\*\*@n1, /],
    [{ CLUSTER_ACCEPT_UNSYNCED: 'yes' }, /^CLUSTER_ACCEPT_UNSYNCED=yes is neither 0 nor 1/],
    [{ CLUSTER_WAIT_SECONDS: '1m' }, /^CLUSTER_WAIT_SECONDS=1m is not/],
  ]
  for (const [env, words] of cases) {
    try {
      clusterOf({ ...least, ...env })
      t.fail(`${JSON.stringify(env)} was accepted`)
    } catch (error) {
      t.ok(error instanceof CannotStart)
      t.match((error as Error).message, words)
    }
  }
})
