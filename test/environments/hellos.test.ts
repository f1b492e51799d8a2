// What modules say of themselves is asked once; a failure is asked again, but told again first to who may have gone.
import t from 'tap'
import { createHellos } from '../../src/environments/hellos.ts'
import { testWorld } from '../support/world.ts'

const module = { file: 'one.mjs', digest: 'a' }

/** Hellos of programs that fail after so many milliseconds. */
const failingAfter = (ms: number) => {
  const world = testWorld()
  const now = performance.now.bind(performance)
  let ahead = 0
  performance.now = () => now() + ahead
  t.teardown(() => {
    performance.now = now
  })
  let asked = 0
  const hellos = createHellos({
    pool: {
      async hello() {
        asked++
        await undefined
        ahead += ms
        throw new Error(`failure ${asked}`)
      },
    },
    start: () => Promise.reject(new Error('nobody lists them')),
    timers: world.timers,
  })
  return { world, told: () => hellos.forUse(module).catch(error => error.message) }
}

t.test('a module that fails at once is tried again each time', async t => {
  const { told } = failingAfter(100)
  t.same([await told(), await told()], ['failure 1', 'failure 2'])
})

t.test('a failure that took longer than an answer may be awaited is told again for a minute', async t => {
  const { told, world } = failingAfter(20_000)
  t.same([await told(), await told()], ['failure 1', 'failure 1'])
  await world.advance(60_000)
  t.equal(await told(), 'failure 2')
})
