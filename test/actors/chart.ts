// The history of a task, three times: folded, run by XState as the chart stands, and told by the view in its own words.
import assert from 'node:assert/strict'
import { createActor } from 'xstate'
import type { Inspect } from '../../actors/runtime/live.ts'
import { taskMachine } from '../../actors/task/machine.ts'
import { nestedValue } from '../../src/contract/chart.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import type { TaskEventType } from '../../src/contract/task-events.ts'
import { emptyTask, evolve, openCalls } from '../../src/history/task-view.ts'

/** Throws at the first event after which they differ; answers the places in which the task was. */
export const mustFollowChart = (events: readonly Recorded[]): Set<string> => {
  const view = emptyTask()
  const machine = createActor(taskMachine).start()
  const places = new Set<string>([view.state.at])
  for (const event of events) {
    evolve(view, event)
    machine.send({ type: event.header.type as TaskEventType, data: event.data })
    const { at, open } = view.state
    const { value, context } = machine.getSnapshot()
    const what = `${event.header.stream}@${event.header.revision} ${event.header.type}`
    assert.deepEqual(value, nestedValue(at), `${what}: the machine stands where the fold does`)
    assert.deepEqual(context.open, open, `${what}: the machine knows the same open calls`)
    assert.equal(at.split('.')[0], view.status, what)
    const calls = openCalls(view).map(({ callId }) => callId)
    assert.deepEqual([...open].sort(), calls.sort(), `${what}: the open calls are those of the view`)
    const isActive = view.status === 'working' && at !== 'working.canceling'
    if (isActive) {
      assert.equal(at.endsWith('.thinking'), view.openStep !== undefined, `${what}: a step is open`)
      assert.equal(at.endsWith('.calling'), calls.length > 0, `${what}: a call is open`)
    }
    places.add(at)
  }
  machine.stop()
  return places
}

/** An inspector that keeps the newest snapshot of each actor, by its stream. */
export const lastSnapshots = () => {
  const running = new Map<string, unknown>()
  const inspect: Inspect = event => {
    const { actorRef } = event
    if (event.type === '@xstate.actor' && 'id' in actorRef)
      running.set(String(actorRef.id), actorRef.getSnapshot())
    if (event.type === '@xstate.snapshot' && 'id' in actorRef)
      running.set(String(actorRef.id), event.snapshot)
  }
  return { running, inspect }
}
