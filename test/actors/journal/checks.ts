// What must hold of every task in a log, whatever was killed: read from the stored events alone.
import { taskEvents } from '../../../src/contract/decoders/task.ts'
import type { TaskEventData } from '../../../src/contract/events/task-events.ts'
import type { Recorded } from '../../../src/contract/stored.ts'
import { isTerminal } from '../../../src/contract/wire.ts'
import { emptyTask, evolve } from '../../../src/history/task-view.ts'
import { eventsOf, framesFrom } from '../../history/told.ts'
import type { TestSystem } from '../../support/system.ts'

const terminal = /^Task(Completed|Failed|Canceled|Expired)$/

/** Ids of every task of the log, in order of creation. */
export const tasksIn = async (system: TestSystem): Promise<string[]> =>
  (await system.stored()).flatMap(({ header, data }) =>
    header.type === 'TaskCreated' ? [(data as TaskEventData<'TaskCreated'>).task_id] : [],
  )
const ofType = <T>(events: Recorded[], type: string): T[] =>
  events.filter(({ header }) => header.type === type).map(({ data }) => data as T)

/** A result names its child's stream up to an end, and the child names its caller. */
const childProblems = async (system: TestSystem, taskId: string, events: Recorded[]): Promise<string[]> => {
  const problems: string[] = []
  for (const { child } of ofType<TaskEventData<'EffectIntended'>>(events, 'EffectIntended')) {
    if (child === undefined) continue
    const [first] = await eventsOf(system, child)
    const created = first?.data as TaskEventData<'TaskCreated'> | undefined
    if (created?.parent_task_id !== taskId) problems.push(`${child} is not the child that was intended`)
  }
  for (const { child } of ofType<TaskEventData<'EffectCompleted'>>(events, 'EffectCompleted')) {
    if (child === undefined) continue
    const read = (await eventsOf(system, child.stream.slice('task-'.length))).slice(0, child.revision + 1)
    const view = read.map(taskEvents.read).reduce(evolve, emptyTask())
    const isEnd = view.revision === child.revision && isTerminal(view.status)
    if (!isEnd) problems.push(`${child.stream}@${child.revision} is ${view.status}, no end`)
  }
  return problems
}

const resultProblems = (events: Recorded[]): string[] => {
  const problems: string[] = []
  const results = [
    ...ofType<TaskEventData<'EffectCompleted'>>(events, 'EffectCompleted').map(data => data.call_id),
    ...ofType<TaskEventData<'InputAccepted'>>(events, 'InputAccepted').flatMap(({ item }) =>
      item.type === 'tool_result' ? [item.call_id] : [],
    ),
  ]
  for (const callId of new Set(results)) {
    const count = results.filter(other => other === callId).length
    if (count > 1) problems.push(`${callId} has ${count} results`)
  }
  const attempts = new Map<string, number>()
  for (const intent of ofType<TaskEventData<'EffectIntended'>>(events, 'EffectIntended')) {
    const attempt = intent.attempt ?? 1
    const before = attempts.get(intent.effect_id) ?? 0
    if (attempt !== before + 1) problems.push(`${intent.effect_id}: attempt ${attempt} after ${before}`)
    attempts.set(intent.effect_id, attempt)
  }
  return problems
}

const taskProblems = async (system: TestSystem, taskId: string): Promise<string[]> => {
  const events = await eventsOf(system, taskId)
  const problems = [...resultProblems(events), ...(await childProblems(system, taskId, events))]
  const ends = events.filter(({ header }) => terminal.test(header.type))
  if (ends.length > 1) problems.push(`${ends.length} terminal facts`)
  const numbers = framesFrom(events).map(frame => frame.sequence_number)
  if (numbers.some((number, index) => number !== index)) problems.push(`frames ${numbers.join(' ')}`)
  const row = system.queries.rowById(taskId)
  if (row === undefined) problems.push('no row')
  else {
    const { matches, mismatches } = await system.recall.replay(row)
    if (!matches) problems.push(`replay differs: ${JSON.stringify(mismatches)}`)
  }
  return problems.map(problem => `${taskId}: ${problem}`)
}

/** Everything that is wrong with the log of a system; nothing, if all is well. */
export const problemsIn = async (system: TestSystem): Promise<string[]> => {
  const problems: string[] = []
  for (const taskId of await tasksIn(system)) problems.push(...(await taskProblems(system, taskId)))
  return problems
}
