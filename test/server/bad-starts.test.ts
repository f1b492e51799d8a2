import t from 'tap'
import { noOther } from '../support/another-user.ts'
import { noMount, smallDisk } from '../support/small-disk.ts'
import { randomOf } from '../support/world.ts'
import { badStarts } from './bad-starts.ts'

const seed = Number(process.env.SEED ?? 20_260_101)

t.test('after bad starts of many kinds, a good one finds everything', { skip: noOther }, async t => {
  const disk = smallDisk(t, 96)
  if (disk === undefined) return void t.pass(noMount, { skip: noMount })
  const { problems, seen } = await badStarts({ disk, rounds: 4, random: randomOf(seed) })
  t.same(problems, [])
  t.equal(Object.keys(seen).length, 4, 'each was of another kind')
})
