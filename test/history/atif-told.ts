// Tasks told as ATIF documents in tests: each document is checked wherever it comes from.
import type { Test } from 'tap'
import type { Agent, StepEnd, StepInput, StepPart } from '../../src/contract/agent.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import type { CreateTaskBody, ScriptStep } from '../../src/contract/wire.ts'
import { atifOf } from '../../src/history/atif/atif.ts'
import type { Step, Trajectory } from '../../src/history/atif/format.ts'
import { givenSystem, quiet, type TestSystem } from '../support/system.ts'
import { tool } from '../support/tools.ts'
import { atifProblems } from './atif-problems.ts'

/** The document of a task, which must be lawful. */
export const documentOf = async (
  t: Test,
  { log }: Pick<TestSystem, 'log'>,
  taskId: string,
): Promise<Trajectory> => {
  const document = await atifOf(log.readStream, taskStream(taskId))
  t.same(atifProblems(document), [])
  return document
}
/** A script played to where it goes no further by itself. */
export const played = async (t: Test, steps: ScriptStep[], given: Partial<CreateTaskBody> = {}) => {
  const system = await givenSystem({ tools: [tool('count'), tool('read', { safe: true })] })
  t.teardown(() => system.close())
  const taskId = await system.play(steps, given)
  await system.world.advance(0)
  await quiet(system)
  return { system, taskId, document: await documentOf(t, system, taskId) }
}
/** Each step as one line: who, what, which calls, how many results. */
export const outline = ({ steps }: Trajectory): string[] =>
  steps.map(({ source, message, tool_calls = [], observation, is_copied_context }) =>
    [
      is_copied_context ? '(' : '',
      source,
      message === '' ? '' : ` ${typeof message === 'string' ? message : JSON.stringify(message)}`,
      ...tool_calls.map(call => ` ${call.function_name}()`),
      observation ? ` = ${observation.results.map(({ content }) => content).join(', ')}` : '',
      is_copied_context ? ')' : '',
    ].join(''),
  )
export const stepWith = ({ steps }: Trajectory, callName: string): Step | undefined =>
  steps.find(({ tool_calls }) => tool_calls?.some(call => call.function_name === callName))

type Turn = (input: StepInput) => { parts?: StepPart[]; end: StepEnd }
/** A task of an agent that takes these turns as one with a model does. */
export const turnsOf = async (t: Test, turns: Turn[], given: Partial<CreateTaskBody> = {}) => {
  const talker: Agent = {
    name: 'talker',
    async *step(input) {
      const { parts = [], end } = turns[input.agentStep - 1]?.(input) ?? { end: { end: 'answer' } as const }
      yield* parts
      return end
    },
  }
  const system = await givenSystem({ agents: [talker], tools: [tool('count')] })
  t.teardown(() => system.close())
  const taskId = await system.create({
    ...given,
    agent_config: { agent_id: 'talker', ...given.agent_config },
  })
  await quiet(system)
  return { system, taskId, document: await documentOf(t, system, taskId) }
}
