// Slices of long work: one in each turn of the event loop, and callers take turns.
import t from 'tap'
import { createSlices } from '../../src/fairness/slices.ts'

t.test('each turn of the event loop has one slice, and callers take turns', async t => {
  const turn = createSlices()
  const slices: string[] = []
  let loops = 0
  let isOver = false
  const count = () => {
    loops++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const inLoop: number[] = []
  const work = async (caller: string, parts: number) => {
    for (let part = 0; part < parts; part++) {
      await turn(caller)
      slices.push(caller)
      inLoop.push(loops)
    }
  }
  await Promise.all([work('ann', 3), work('ann', 3), work('bob', 3), work('cyd', 1)])
  isOver = true
  t.same(
    slices.slice(0, 4),
    ['ann', 'bob', 'cyd', 'ann'],
    'the first of each, whatever else one of them wants',
  )
  t.same(slices.toSorted(), [...Array(6).fill('ann'), ...Array(3).fill('bob'), 'cyd'])
  t.equal(new Set(inLoop).size, slices.length, 'no two in one turn')
})
