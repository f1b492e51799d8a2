// A hundred random streams with random faults: no call runs that was not whole, no text is lost that came, and no step
// waits beyond its limit. The seed is the same in every run; SEED=n takes another one. The soak test plays two thousand.
import t from 'tap'
import { playAll } from './play.ts'

t.test('a hundred faulty streams', async t => {
  t.same(await playAll(100), [])
})
