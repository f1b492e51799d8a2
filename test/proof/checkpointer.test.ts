// When a checkpoint is signed: at most a second after an event, and at most once a second.
import t from 'tap'
import { createCheckpointer } from '../../src/proof/checkpointer.ts'
import { settle, testWorld } from '../support/world.ts'

const given = () => {
  const world = testWorld()
  const begun = world.clock.now()
  const state = { head: 0, signed: 0, fails: false }
  const signings: { at: number; size: number }[] = []
  let commit = () => {}
  const checkpointer = createCheckpointer({
    signer: {
      newest: () => (state.signed === 0 ? undefined : { size: state.signed, root: '', text: '' }),
      async sign() {
        if (state.fails) throw new Error('the disk is full')
        state.signed = state.head
        signings.push({ at: world.clock.now() - begun, size: state.head })
      },
    },
    log: {
      head: () => state.head,
      isFailing: () => false,
      onCommit(listener) {
        commit = () => listener([])
      },
    },
    clock: world.clock,
    timers: world.timers,
    report: () => {},
  })
  checkpointer.start()
  const append = () => {
    state.head++
    commit()
  }
  const pass = async (ms: number) => {
    await world.advance(ms)
    await settle()
  }
  return { checkpointer, state, signings, append, pass }
}

t.test('no event waits longer than a second for a checkpoint, and there is one a second', async t => {
  const { signings, append, pass } = given()
  const appended: number[] = []
  for (let at = 0; at < 10_000; at += 50) {
    append()
    appended.push(at)
    await pass(50)
  }
  await pass(1000)
  for (const [n, at] of appended.entries()) {
    const first = signings.find(({ size }) => size > n)
    t.ok(first !== undefined && first.at - at <= 1000, `event ${n}`)
  }
  const gaps = signings.slice(1).map(({ at }, n) => at - (signings[n]?.at ?? 0))
  t.ok(Math.min(...gaps) >= 1000)
  t.ok(signings.length >= 9)
})

t.test('nothing is claimed while checkpoints cannot be stored, and they come back by themselves', async t => {
  const { checkpointer, state, signings, append, pass } = given()
  state.fails = true
  append()
  await pass(3000)
  t.same(signings, [])
  t.equal(await checkpointer.newest().catch(() => undefined), undefined)
  state.fails = false
  await pass(1000)
  t.match(signings, [{ size: 1 }])
})
