// With which log a stream begins that is made again.
import tap from 'tap'
import type { Surveyed } from '../../src/cluster/survey.ts'
import { survivingLog } from '../../src/cluster/surviving-log.ts'

const node = (name: string, role: 'owner' | 'standby', position: number, log_id = 'log_1'): Surveyed => ({
  ...{ url: `http://${name}`, state: 'answers', node: name, conditions: [] },
  ...{ role, position, log_id },
})
const away: Surveyed = { url: 'http://c', state: 'away', node: 'c', conditions: [] }
const folder = (position: number, id = 'log_1') => ({ folder: '/data', id, position })

tap.test('the log of the owner goes on, and no node with fewer events than any may own it', async t => {
  const nodes = [node('a', 'owner', 7), node('b', 'standby', 9), away]
  t.same(survivingLog({ nodes, holder: 'a' }), { id: 'log_1', position: 9 })
  t.same(survivingLog({ nodes }), { id: 'log_1', position: 9 }, 'the stream of the lease may be gone, too')
  t.same(survivingLog({ nodes, inFolder: folder(12) }), { id: 'log_1', position: 12 })
})

tap.test('without an owner, the log in the named folder goes on', async t => {
  t.same(survivingLog({ nodes: [away], inFolder: folder(4) }), { id: 'log_1', position: 4 })
  t.same(
    survivingLog({ nodes: [node('b', 'standby', 9)], inFolder: folder(4) }),
    { id: 'log_1', position: 9 },
    'a standby has more',
  )
  t.equal(survivingLog({ nodes: [node('b', 'standby', 9)] }), undefined)
})

tap.test(
  'without an owner, the log goes on that all nodes have, if each node that is known answers',
  async t => {
    const both = [node('a', 'standby', 7), node('b', 'standby', 9)]
    t.same(survivingLog({ nodes: both }), { id: 'log_1', position: 9 })
    t.same(survivingLog({ nodes: both, holder: 'a' }), { id: 'log_1', position: 9 })
    t.equal(survivingLog({ nodes: [...both, away] }), undefined, 'the one that is away may have more')
    t.equal(survivingLog({ nodes: both, holder: 'c' }), undefined, 'the last owner is not among them')
    t.throws(() => survivingLog({ nodes: [node('a', 'standby', 7), node('b', 'standby', 9, 'log_2')] }), {
      message: /^the node a has the log log_1, but the node b has the log log_2/,
    })
  },
)

tap.test('nodes that contradict each other are refused', async t => {
  const both = [node('a', 'owner', 7), node('b', 'owner', 9)]
  t.throws(() => survivingLog({ nodes: both, holder: 'b' }), {
    message: /^a and b say that they own the log/,
  })
  t.throws(() => survivingLog({ nodes: [node('a', 'owner', 7)], holder: 'b' }), {
    message: /^a says that it owns the log, but the newest beat is of b, and nothing was changed/,
  })
  t.throws(() => survivingLog({ nodes: [node('a', 'owner', 7)], inFolder: folder(9, 'log_2') }), {
    message: /^the node a, which owns the log, has the log log_1, but \/data has the log log_2/,
  })
  t.throws(() => survivingLog({ nodes: [node('b', 'standby', 7, 'log_2')], inFolder: folder(9) }), {
    message: /^\/data has the log log_1, but the node b has the log log_2/,
  })
})
