// The nodes that a node remembers.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import tap from 'tap'
import { createSeenNodes, readOwnName, readSeenNodes } from '../../src/cluster/seen-nodes.ts'
import { testWorld } from '../support/world.ts'

const day = 24 * 3600 * 1000

tap.test('nodes are remembered with their last sign, also by the next process', async t => {
  const { clock, advance } = testWorld()
  const file = path.join(t.testdir(), 'nodes.json')
  const seen = createSeenNodes({ file, name: 'a', clock })
  const now = clock.now()
  seen.note({ node: 'b', url: 'http://b', seenAt: now })
  seen.note({ node: 'b', url: 'http://old', seenAt: now - 5 })
  seen.note({ node: 'c', url: 'http://c', seenAt: 0 })
  seen.note({ node: 'c', url: 'http://c', seenAt: now + day }) // the clock of another node is ahead
  const both = [
    { node: 'b', url: 'http://b', seenAt: now },
    { node: 'c', url: 'http://c', seenAt: now },
  ]
  t.same(seen.all(), both)
  await seen.save()
  t.same(readSeenNodes(file), both)
  t.equal(readOwnName(file), 'a')

  await advance(8 * day)
  t.same(
    createSeenNodes({ file, name: 'a', clock }).all(),
    [],
    'a node without a sign for a week is gone for good',
  )
})

tap.test('a forgotten node stays forgotten until there is a new sign of it', async t => {
  const { clock, advance } = testWorld()
  const seen = createSeenNodes({ file: path.join(t.testdir(), 'nodes.json'), name: 'a', clock })
  const old = { node: 'b', url: 'http://b', seenAt: clock.now() }
  seen.note(old)
  t.ok(seen.forget('b'))
  t.notOk(seen.forget('b'))
  seen.note(old)
  seen.note({ ...old, seenAt: 0 })
  t.same(seen.all(), [])
  await advance(1000)
  seen.note({ ...old, seenAt: clock.now() })
  t.match(seen.all(), [{ node: 'b' }])
})

tap.test('a damaged file is as good as none', async t => {
  const file = path.join(t.testdir(), 'nodes.json')
  for (const text of ['', '{', '{"nodes":7}', '{"nodes":[null,{"node":1}]}']) {
    writeFileSync(file, text)
    t.same([readSeenNodes(file), readOwnName(file)], [[], undefined])
  }
  const { clock } = testWorld()
  const seen = createSeenNodes({ file, name: 'a', clock })
  seen.note({ node: 'b', url: 'http://b', seenAt: clock.now() })
  await seen.save()
  t.match(readFileSync(file, 'utf8'), /"b"/)
})
