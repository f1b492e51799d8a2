// The history of a task or an environment session, three times: folded, run by XState as the chart stands, and given to
// an actor of our own logic.
import assert from 'node:assert/strict'
import { type AnyMachineSnapshot, createActor } from 'xstate'
import { foldedSession } from '../../actors/env-session/actor.ts'
import { type Inspect, logicOf, snapshotOf } from '../../actors/runtime/logic.ts'
import { foldedTask } from '../../actors/task/actor.ts'
import { nestedValue } from '../../src/contract/charts/chart.ts'
import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import { type RecordedTaskEvent, taskEvents } from '../../src/contract/decoders/task.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { emptySession, evolveSession } from '../../src/history/env-session.ts'
import { openCalls } from '../../src/history/task/calls.ts'
import { emptyTask, evolve, type TaskView } from '../../src/history/task-view.ts'
import { envSessionMachine, taskMachine } from './machines.ts'

const placeOf = ({ header }: Recorded) => `${header.stream}@${header.revision} ${header.type}`

/** What the view says in its own words is what the chart says. */
const mustAgree = (view: TaskView, what: string): void => {
  const { at, open } = view.state
  assert.equal(at.split('.')[0], view.status, what)
  const calls = openCalls(view).map(({ callId }) => callId)
  assert.deepEqual([...open].sort(), calls.sort(), `${what}: the open calls are those of the view`)
  if (view.status !== 'working' || at === 'working.canceling') return
  assert.equal(at.endsWith('.thinking'), view.openStep !== undefined, `${what}: a step is open`)
  assert.equal(at.endsWith('.calling'), calls.length > 0, `${what}: a call is open`)
}

/** Throws at the first event after which they differ; answers the places in which the task was. */
export const taskMustFollowChart = (events: readonly RecordedTaskEvent[]): Set<string> => {
  const view = emptyTask()
  const machine = createActor(taskMachine).start()
  const actor = createActor(logicOf(foldedTask)).start()
  const places = new Set<string>([view.state.at])
  for (const event of events) {
    const { type, data } = event
    const what = placeOf(event)
    evolve(view, event)
    machine.send({ type, data })
    actor.send({ type, stored: event })
    const { at, open } = view.state
    const { value, context }: AnyMachineSnapshot = machine.getSnapshot()
    assert.deepEqual(value, nestedValue(at), `${what}: the machine stands where the fold does`)
    assert.deepEqual(context.open, open, `${what}: the machine knows the same open calls`)
    const { value: reached, context: own } = actor.getSnapshot()
    assert.deepEqual(reached, value, `${what}: so does the actor`)
    assert.deepEqual(own.state, view.state, `${what}: and its view`)
    mustAgree(view, what)
    places.add(at)
  }
  machine.stop()
  actor.stop()
  return places
}

/** The same of an environment session. */
export const sessionMustFollowChart = (events: readonly Recorded[]): Set<string> => {
  const view = emptySession()
  const machine = createActor(envSessionMachine).start()
  const actor = createActor(logicOf(foldedSession)).start()
  const places = new Set<string>([view.state])
  for (const event of events.map(sessionEvents.read)) {
    evolveSession(view, event)
    machine.send({ type: event.type })
    actor.send({ type: event.type, stored: event })
    const { state } = view
    assert.equal(machine.getSnapshot().value, state, `${placeOf(event)}: the machine stands there`)
    assert.deepEqual(actor.getSnapshot(), snapshotOf(foldedSession, view), `${placeOf(event)}: the actor too`)
    places.add(state)
  }
  machine.stop()
  actor.stop()
  return places
}

/** The history of a task or a session follows its chart. */
export const mustFollowChart = (events: readonly Recorded[]): void => {
  const [first] = events
  if (first !== undefined && sessionEvents.find(first) !== undefined) sessionMustFollowChart(events)
  else taskMustFollowChart(events.map(taskEvents.read))
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
