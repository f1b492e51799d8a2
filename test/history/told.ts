// Reading a task's history in tests: its events, its frames, and what is left of both without ids and times.

import { type RecordedTaskEvent, taskEvents } from '../../src/contract/decoders/task.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { type Frame, renderFrames } from '../../src/history/frames.ts'
import { taskOf } from '../../src/history/task-object.ts'
import { emptyTask, evolve } from '../../src/history/task-view.ts'
import type { TestSystem } from '../support/system.ts'

export const eventsOf = async (
  { log }: Pick<TestSystem, 'log'>,
  taskId: string,
): Promise<RecordedTaskEvent[]> => {
  const events: RecordedTaskEvent[] = []
  for await (const page of log.readStream(`task-${taskId}`)) events.push(...page.map(taskEvents.read))
  return events
}
export const framesFrom = (events: readonly Recorded[]): Frame[] => {
  const view = emptyTask()
  return events.flatMap(event => renderFrames(view, taskEvents.read(event)))
}
export const framesOf = async (system: Pick<TestSystem, 'log'>, taskId: string): Promise<Frame[]> =>
  framesFrom(await eventsOf(system, taskId))
export const taskFrom = (events: readonly Recorded[]) =>
  taskOf(events.map(taskEvents.read).reduce(evolve, emptyTask()))

/** The same value with ids counted from the first one that appears, and without times. */
export const withoutIdsAndTimes = (value: unknown): unknown => {
  const names = new Map<string, string>()
  const named = JSON.stringify(value).replace(/"(msg|rs|tc|tr|task|sess|agent|req)_\w+"/g, (id, kind) => {
    const name = names.get(id) ?? `"${kind} ${names.size}"`
    names.set(id, name)
    return name
  })
  return JSON.parse(named, (key, inner) => (key === 'timestamp' || key === 'created_at' ? undefined : inner))
}

/** An output without what was cut short, each item as its kind and text. */
export const saidIn = (output: { type: string; status?: string }[]): unknown =>
  withoutIdsAndTimes(output.filter(item => item.status !== 'incomplete'))
