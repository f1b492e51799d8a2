// Actors whose fold throws, whose append fails after it was put in order, or which leave memory in the middle of a turn:
// no event is lost, and none is folded twice.
import t from 'tap'
import type { Kind } from '../../actors/runtime/kind.ts'
import { createRuntime } from '../../actors/runtime/runtime.ts'
import { openLog } from '../../src/log/log.ts'
import { failingStore } from '../support/system.ts'
import { testWorld } from '../support/world.ts'

type View = { sum: number; seen: number[] }
type Add = { by: number }

const given = (failing = failingStore()) => {
  const world = testWorld()
  const log = openLog(failing.store, { clock: world.clock, random: world.random, build: 'b' })
  let fails = false
  const kind: Kind<View, Add, undefined> = {
    chart: { id: 'x', initial: 'a', states: { a: { on: { Added: 'a' } } } },
    empty: () => ({ sum: 0, seen: [] }),
    evolve(view, { data, header }) {
      const { by } = data as Add
      if (fails && by === 13) throw new Error('the fold fails')
      view.sum += by
      view.seen.push(header.revision)
    },
    placeOf: () => 'a',
    decide: (_view, { by }) => ({ events: [{ type: 'Added', schema_version: 1, data: { by } }], made: [] }),
    envelope: () => ({ principal: 'p', owner: '', session_id: '', correlation_id: 'c', causation_id: 'd' }),
    effects: () => ({ at: () => undefined, reconcile() {}, rest: () => 'idle', stop() {} }),
  }
  const runtime = createRuntime({ log, kind, timers: world.timers, onFault: error => t.fail(String(error)) })
  return {
    runtime,
    log,
    failing,
    setFails: (to: boolean) => {
      fails = to
    },
  }
}

t.test('a fold that throws in the middle of a life', async t => {
  const { runtime, setFails } = given()
  await runtime.ask('x-1', { by: 1 }, true)
  setFails(true)
  await t.rejects(runtime.ask('x-1', { by: 13 }), { message: 'the fold fails' })
  setFails(false)
  const view = await runtime.ask('x-1', { by: 2 })
  t.same([view.sum, view.seen], [16, [0, 1, 2]])
  await new Promise(r => setTimeout(r, 50))
})
t.test('a fold that throws at the first event, before it is durable', async t => {
  const { runtime, setFails, log } = given()
  setFails(true)
  await t.rejects(runtime.ask('x-1', { by: 13 }, true), { message: 'the fold fails' })
  setFails(false)
  await log.settled()
  const view = await runtime.ask('x-1', { by: 2 })
  t.same([view.sum, view.seen], [15, [0, 1]])
  await new Promise(r => setTimeout(r, 50))
})
t.test('a fold that throws while loading', async t => {
  const { runtime, setFails } = given()
  await runtime.ask('x-1', { by: 13 }, true)
  runtime.passivate('x-1')
  setFails(true)
  await t.rejects(runtime.ask('x-1', { by: 13 }), { message: 'the fold fails' })
  setFails(false)
  const view = await runtime.ask('x-1', { by: 2 })
  t.same([view.sum, view.seen], [15, [0, 1]])
})
t.test('an append fails after it was put in order, kept or lost', async t => {
  for (const how of ['kept', 'lost'] as const) {
    const { runtime, failing } = given()
    failing.failNext(how)
    await t.rejects(runtime.ask('x-1', { by: 1 }, true))
    const view = await runtime.ask('x-1', { by: 2 })
    t.same(view.sum, how === 'kept' ? 3 : 2)
  }
})
t.test('another writer, and a fold that throws while catching up', async t => {
  const { runtime, log, setFails } = given()
  await runtime.ask('x-1', { by: 1 }, true)
  const who = { principal: 'p', owner: '', session_id: '', correlation_id: 'c', causation_id: 'd' }
  await log.append([
    {
      stream: 'x-1',
      expectedRevision: 0,
      ...who,
      events: [{ type: 'Added', schema_version: 1, data: { by: 13 } }],
    },
  ])
  setFails(true)
  await t.rejects(runtime.ask('x-1', { by: 2 }), { message: 'the fold fails' })
  setFails(false)
  const view = await runtime.ask('x-1', { by: 3 })
  t.same([view.sum, view.seen], [17, [0, 1, 2]])
  await new Promise(r => setTimeout(r, 50))
})
t.test('put away at every moment of a turn', async t => {
  for (let steps = 0; steps < 40; steps++) {
    const { runtime } = given()
    await runtime.ask('x-1', { by: 1 }, true)
    if (steps % 2 === 1) runtime.passivate('x-1')
    const all = [1, 2, 3].map(by =>
      runtime.ask('x-1', { by }).then(
        v => v.sum,
        e => e.message,
      ),
    )
    for (let n = 0; n < steps; n++) await Promise.resolve()
    runtime.passivate('x-1')
    const later = runtime.ask('x-1', { by: 100 })
    const results = await Promise.all(all)
    const view = await later
    t.same(view.seen, [...view.seen.keys()], `steps ${steps}: ${JSON.stringify(results)} ${view.sum}`)
  }
})
