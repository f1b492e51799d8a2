// Random scripts, forked at random frames: the past of a fork is that of the task, and diff finds the first difference.

import t from 'tap'
import fc from '../support/fast-check.ts'
import { serveHere } from '../support/server.ts'
import { tasksOf } from './agent-tasks.ts'
import { forksOf, plain } from './fork-calls.ts'

const { api } = await serveHere(t)
const { play, becomes, frames } = tasksOf(api)
const { fork, diff } = forksOf(api)

const calculator = fc
  .integer({ min: 0, max: 99 })
  .map(n => ({ tool: 'calculator', arguments: { expression: `${n}+1` } }))
const step = fc.oneof(
  fc.string({ maxLength: 30 }).map(text => ({ message: `m${text}` })),
  fc.record({ reasoning: fc.string({ maxLength: 20 }).map(text => `r${text}`) }),
  calculator,
  fc.array(calculator, { minLength: 1, maxLength: 3 }).map(tools => ({ tools })),
  fc.constant({ subagent: 'echo', input: 'child' }),
)
const script = fc.array(step, { minLength: 1, maxLength: 6 })

t.test('a fork at any frame shares the past, and differs first where the scripts differ', async t => {
  const property = fc.asyncProperty(
    script,
    script,
    fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    async (steps, others, place) => {
      const end = { message: 'end' }
      const task = await play([...steps, end])
      const all = (await frames(task.id)).map(plain)
      const at = Math.floor(place * all.length)
      // The fork goes on by its number of steps, so its script has those of the past, and then others.
      const changed = [...steps.slice(0, -1), ...others, { message: 'other end' }]
      const made = await fork(task.id, { at, agent_config: { script: changed } })
      await becomes(made.id, 'completed', 'failed')
      const mine = (await frames(made.id)).map(plain)
      const first = all.findIndex((frame, n) => frame !== mine[n])
      const expected = first === -1 ? (mine.length > all.length ? all.length : null) : first
      const { first_divergence } = await diff(task.id, made.id)
      const back = await diff(made.id, task.id)
      return (
        first_divergence === expected &&
        back.first_divergence === expected &&
        (expected === null || expected > at) &&
        mine.slice(0, at + 1).every((frame, n) => frame === all[n])
      )
    },
  )
  await fc.assert(property, { numRuns: 12, endOnFailure: true })
  t.pass('12 scripts')
})
