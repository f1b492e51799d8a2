// What a task of the agent with a model may use before it fails.
import t from 'tap'
import { model } from '../../src/agents/model/model.ts'
import type { StepInput } from '../../src/contract/agent.ts'
import { testWorld } from '../support/world.ts'

t.test('the seconds of a task are those of the clock that its events have', async t => {
  const world = testWorld()
  const startedAt = world.clock.now()
  const { step } = model({} as never, { steps: 0, tokens: 0, seconds: 10 }, world)
  const input = { agentStep: 1, used: { tokens: 0, startedAt } } as unknown as StepInput
  await world.advance(11_000)
  t.match(await step(input).next(), { done: true, value: { end: 'fail', error: { message: /in 10 s$/ } } })
})
