// What a node knows of the other nodes from their own answers.
import path from 'node:path'
import tap from 'tap'
import { createSeenNodes } from '../../src/cluster/seen-nodes.ts'
import { createOtherNodes } from '../../src/node/other-nodes.ts'
import { testWorld } from '../support/world.ts'

tap.test('a node notices when another one becomes ready to take over, and when it no longer is', async t => {
  const world = testWorld()
  const seen = createSeenNodes({ file: path.join(t.testdir(), 'nodes.json'), name: 'a', clock: world.clock })
  const said = { node: 'b', url: 'http://b', role: 'standby', ready: false, sequence: 3, nodes: [] }
  let changes = 0
  const others = createOtherNodes({
    ...{ name: 'a', seen, world },
    named: () => [{ node: 'b', url: 'http://b', seenAt: 0 }],
    ask: async () => ({ bytes: Buffer.from(JSON.stringify(said)), nonce: '' }),
    sequence: () => 5,
    changed: () => void changes++,
  })
  t.teardown(others.stop)
  await others.look()
  t.notOk(others.hasReady())
  t.equal(others.behind(), 2)
  said.ready = true
  await others.look()
  t.ok(others.hasReady())
  t.equal(changes, 1)
  await others.look()
  t.equal(changes, 1)
  said.role = 'owner'
  await others.look()
  t.notOk(others.hasReady())
  t.equal(changes, 2)
})
