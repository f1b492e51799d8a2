// The part of the time axis of a task that somebody looks at.
import fc from 'fast-check'
import t from 'tap'
import { between, panned, type Range, ticksOf, zoomed } from '../../console/task/zoom.ts'

const seed = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }

type Step = (range: Range, whole: number) => Range
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.double({ min: 0.1, max: 4, noNaN: true }).map(
    (factor): Step =>
      (range, whole) =>
        zoomed(range, factor, whole),
  ),
  fc.double({ min: -2, max: 2, noNaN: true }).map(
    (share): Step =>
      (range, whole) =>
        panned(range, share, whole),
  ),
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })).map(
    ([a, b]): Step =>
      (_, whole) =>
        between(a * whole, b * whole, whole),
  ),
)

t.test(
  'however somebody moves, the range is inside the task, and its ticks are inside the range',
  async t => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 ** 9 }),
        fc.array(steps, { maxLength: 12 }),
        (whole, moves) => {
          let range = { from: 0, to: whole }
          for (const move of moves) {
            range = move(range, whole)
            const { from, to } = range
            if (!(from >= 0 && to <= whole * (1 + 1e-9) && to > from)) t.fail(`${from} to ${to} of ${whole}`)
            const ticks = ticksOf(range)
            if (ticks.length > 8 || new Set(ticks.map(({ text }) => text)).size < ticks.length)
              t.fail(`ticks of ${from} to ${to}: ${ticks.map(({ text }) => text)}`)
            const slack = (to - from) * 1e-6
            if (ticks.some(({ at }) => at < from - slack || at > to + slack)) t.fail('a tick is outside')
          }
        },
      ),
      { numRuns: 500, ...seed },
    )
    t.same(zoomed({ from: 0, to: 1000 }, 0.5, 1000), { from: 250, to: 750 })
    t.same(
      zoomed({ from: 0, to: 1000 }, 0.5, 1000, 0),
      { from: 0, to: 500 },
      'what is under the pointer stays there',
    )
    t.same(panned({ from: 250, to: 750 }, 1, 1000), { from: 500, to: 1000 }, 'not beyond the end')
    t.same(
      ticksOf({ from: 0, to: 1200 }).map(({ text }) => text),
      ['0.0 s', '0.2 s', '0.4 s', '0.6 s', '0.8 s', '1.0 s', '1.2 s'],
    )
    t.same(
      ticksOf({ from: 10_200, to: 10_210 }).map(({ text }) => text),
      ['10.200 s', '10.202 s', '10.204 s', '10.206 s', '10.208 s', '10.210 s'],
    )
  },
)
