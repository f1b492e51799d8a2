// An actor that leaves memory while its events are read: it starts nothing, and nobody waits for it in vain.
import t, { type Test } from 'tap'
import { createRuntime } from '../../actors/runtime/runtime.ts'
import { testWorld } from '../support/world.ts'

/** A runtime of actors that only count their starts. `read` lets the reading that is under way go on. */
const given = (t: Test) => {
  const world = testWorld()
  let started = 0
  let reads: (() => void)[] = []
  const runtime = createRuntime<{ stream: string }, never>({
    log: {
      async *readStream() {
        await new Promise<void>(resolve => reads.push(resolve))
      },
    } as never,
    kind: stream => ({
      view: { stream },
      run: () => ({ take() {}, stop() {} }),
      evolve() {},
      decide: () => ({ events: [], made: [] }),
      envelope: () => ({ principal: '', owner: '', session_id: '', correlation_id: '', causation_id: '' }),
      reconcile: () => void started++,
      rest: () => 'busy',
      stop() {},
    }),
    timers: world.timers,
    onFault: error => t.fail(String(error)),
  })
  const read = async () => {
    await world.advance(0)
    const waiting = reads
    reads = []
    for (const each of waiting) each()
    await world.advance(0)
  }
  return { runtime, read, world, started: () => started, inMemory: () => [...runtime.views()].length }
}

t.test('an actor that is put away while it is read starts nothing', async t => {
  const { runtime, read, started, inMemory } = given(t)
  const activated = runtime.activate('a')
  runtime.passivate('a')
  await read()
  await activated
  t.same([started(), inMemory()], [0, 0])
})

t.test('an actor that is still read when the server stops starts nothing', async t => {
  const { runtime, read, started } = given(t)
  const activated = runtime.activate('a')
  const waiting = runtime.until('a', () => true)
  runtime.stop()
  await Promise.all([read(), activated, t.rejects(waiting, /shutting down/)])
  t.equal(started(), 0)
})

t.test('who waits for an actor that is put away while it is read gets the view of the next one', async t => {
  const { runtime, read, started, inMemory } = given(t)
  const waiting = runtime.until('a', () => true)
  runtime.passivate('a')
  await read()
  await read()
  t.same(await waiting, { stream: 'a' })
  t.same([started(), inMemory()], [1, 1])
})

t.test('the search for idle actors leaves an actor that is still read', async t => {
  const { runtime, read, world, started, inMemory } = given(t)
  const activated = runtime.activate('a')
  await world.advance(600_000)
  await read()
  await activated
  t.same([started(), inMemory()], [1, 1])
})
