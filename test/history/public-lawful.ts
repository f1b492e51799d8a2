// The laws of what subscribers are told of one task, written from the decisions: what comes first, how the statuses
// chain, when its agent comes and goes. What is said of a whole history is held against every part of it as well.
import assert from 'node:assert/strict'
import { Compile } from 'typebox/compile'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { type PublicEvent, publicEventSchemas } from '../../src/contract/events/public-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { renderFrames } from '../../src/history/frames.ts'
import { publicEventOf } from '../../src/history/public-events.ts'
import { taskOf } from '../../src/history/task-object.ts'
import { emptyTask, evolve, type TaskView } from '../../src/history/task-view.ts'

const checks = Object.fromEntries(
  Object.entries(publicEventSchemas).map(([type, schema]) => [
    type,
    Compile({ ...schema, additionalProperties: false }),
  ]),
)
/** The moves of the interface's table. */
const moves: Record<string, string[]> = {
  created: ['queued', 'working', 'canceled', 'expired'],
  queued: ['working', 'canceled', 'expired'],
  working: ['input-required', 'paused', 'completed', 'canceled', 'expired', 'failed'],
  'input-required': ['working', 'canceled', 'expired'],
  paused: ['working', 'canceled', 'expired'],
}
const ends = ['completed', 'canceled', 'expired', 'failed']

/** Throws unless the body is exactly what its schema says: no field more, none less. */
export const mustFitSchema = (event: PublicEvent): void => {
  const check = checks[event.type]
  assert.ok(check !== undefined, `${event.type} has a schema`)
  assert.ok(check.Check(event), `${JSON.stringify(event)}: ${JSON.stringify(check.Errors(event))}`)
}

/** Throws unless these are the public events of one task from its creation on, in order. */
export const mustBeLawful = (events: readonly PublicEvent[]): void => {
  const told = JSON.stringify(events.map(({ type }) => type))
  const [first, ...rest] = events
  assert.equal(first?.type, 'TaskCreated', `${told} begins with the creation`)
  let status = 'created'
  let agent: 'none' | 'at work' | 'completed' | 'not completed' | 'failed' = 'none'
  let agentId = ''
  let numbered = -1
  let deleted = false
  for (const [n, event] of events.entries()) {
    mustFitSchema(event)
    assert.equal(event.task_id, first?.task_id)
    assert.equal(event.session_id, first?.session_id)
    assert.ok(event.timestamp >= (events[n - 1]?.timestamp ?? ''), 'time does not go back')
    assert.ok(!deleted, `${told}: nothing comes after the deletion`)
    const before = rest[n - 2]
    if (event.type === 'TaskStatusChanged') {
      assert.equal(event.old_status, status, `${told}: each status is the one before`)
      assert.ok(moves[status]?.includes(event.new_status), `${status} to ${event.new_status} is a move`)
      status = event.new_status
      if (status === 'working') assert.equal(agent, 'at work', `${told}: the agent is there before it works`)
      if (!ends.includes(status)) continue
      const expected = { completed: 'completed', failed: 'failed' }[status]
      const isUnborn = agent === 'none' && expected === undefined
      assert.ok(isUnborn || agent === (expected ?? 'not completed'), `${told}: ${status}, agent ${agent}`)
      assert.ok(isUnborn || /^Agent(Completed|Error)$/.test(before?.type ?? ''), 'the agent ends just before')
    }
    if (event.type === 'AgentSpawned') {
      assert.equal(agent, 'none', 'an agent is spawned once')
      agent = 'at work'
      agentId = event.agent_id
    }
    if (event.type === 'AgentCompleted' || event.type === 'AgentError') {
      assert.equal(agent, 'at work', `${told}: an agent ends once`)
      assert.equal(event.agent_id, agentId)
      agent = event.type === 'AgentError' ? 'failed' : event.success ? 'completed' : 'not completed'
    }
    if (event.type === 'TaskUpdated') {
      assert.ok(!ends.includes(status), `${told}: what has ended does not change`)
      assert.ok(event.sequence_number > numbered, 'frames are told of in their order')
      assert.ok(event.changed.length > 0)
      numbered = event.sequence_number
    }
    if (event.type === 'TaskDeleted') {
      assert.ok(ends.includes(status), `${told}: only what has ended is deleted`)
      deleted = true
    }
    if (event.type === 'TaskCreated') assert.equal(n, 0, 'a task is created once')
  }
  if (ends.includes(status)) assert.ok(agent !== 'at work', `${told}: no agent is left at work`)
}

/** The public events of a whole task. Throws unless they are lawful, and agree with its frames and its task object. */
export const mustTellRightly = (events: Recorded[]): PublicEvent[] => {
  const told: PublicEvent[] = []
  const numbers: TaskView = emptyTask()
  let view = emptyTask()
  for (const event of events.map(taskEvents.read)) {
    const before = view.created === undefined ? {} : taskOf(view)
    const lastFrame = renderFrames(numbers, event).at(-1)?.sequence_number
    view = evolve(view, event)
    const after = taskOf(view)
    const one = publicEventOf(event)
    if (one === undefined) continue
    told.push(one)
    if (one.timestamp !== event.header.time) throw new Error(`${one.type} was at ${event.header.time}`)
    if (one.type !== 'TaskUpdated') continue
    if (one.sequence_number !== lastFrame) {
      throw new Error(`${event.header.type} told of frame ${one.sequence_number}, its last is ${lastFrame}`)
    }
    const text = (task: object, name: string) => JSON.stringify((task as Record<string, unknown>)[name])
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    const differs = [...names].filter(name => text(before, name) !== text(after, name))
    const untold = differs.filter(name => !one.changed.includes(name))
    if (untold.length > 0) throw new Error(`${event.header.type} changes ${untold.join(', ')} untold`)
    if (!differs.includes('output')) throw new Error(`${event.header.type} leaves the output as it was`)
  }
  mustBeLawful(told)
  return told
}
