// A key stays locked while any work that holds it runs.
import t from 'tap'
import { createLocks } from '../../src/once/locks.ts'

t.test('a retry waits for the first of two equal requests, though the second has ended', async t => {
  const locks = createLocks()
  const never = new Promise(() => {})
  locks.lock(['body'], never)
  const quick = Promise.resolve()
  const unlock = locks.lock(['body'], quick)
  await quick
  unlock()
  t.not(locks.busy(['body']), undefined)
})
