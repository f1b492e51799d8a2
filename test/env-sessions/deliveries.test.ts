// What is remembered of answers that arrived, and that nothing of the answers themselves stays in memory.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createDeliveries } from '../../src/env-sessions/deliveries.ts'
import type { Delivery } from '../../src/once/once.ts'

/** An answer under way, and the function that says whether it arrived whole. */
const answer = () => {
  let heard: (whole: boolean) => void = () => {}
  const delivery: Delivery = {
    onEnd(hear) {
      heard = hear
    },
  }
  return { delivery, end: (whole: boolean) => heard(whole) }
}

t.test('an answer that was claimed counts as arrived, until its delivery fails', t => {
  const deliveries = createDeliveries()
  const { delivery, end } = answer()
  deliveries.claim('place', 3, delivery)
  t.notOk(deliveries.isLost('place', 3))
  end(false)
  t.ok(deliveries.isLost('place', 3))
  t.end()
})

t.test('a delivery that fails does not take back what a later one has claimed', t => {
  const deliveries = createDeliveries()
  const [first, second] = [answer(), answer()]
  deliveries.claim('place', 3, first.delivery)
  deliveries.claim('place', 3, second.delivery)
  first.end(false)
  t.notOk(deliveries.isLost('place', 3))
  t.end()
})

t.test('an answer that arrived leaves memory', async t => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const deliveries = createDeliveries()
  const gone = ['claim' as const, 'expect' as const].map(how => {
    const { delivery, end } = answer()
    deliveries[how](how, 1, delivery)
    end(true)
    return new WeakRef(delivery)
  })
  await new Promise(resolve => setTimeout(resolve, 10)) // a WeakRef holds its target until the turn ends
  collect()
  t.same(
    gone.map(each => each.deref()),
    [undefined, undefined],
  )
  t.notOk(deliveries.isLost('expect', 1), 'it is still known to have arrived')
})
