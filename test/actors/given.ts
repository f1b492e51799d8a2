// Given events, when a command, then events or a refusal: `decide` without a log, a server or a clock.

import { decide } from '../../actors/task/decide/decide.ts'
import type { Ttls } from '../../actors/task/decide/events.ts'
import type { TaskCommand } from '../../src/contract/commands/commands.ts'
import { type RecordedTaskEvent, taskEvents } from '../../src/contract/decoders/task.ts'
import type { TaskEvent, TaskEventData, TaskEventType } from '../../src/contract/events/task-events.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { frameCount } from '../../src/history/frames.ts'
import { emptyTask, evolve, type TaskView } from '../../src/history/task-view.ts'

export const now = Date.parse('2026-01-01T12:00:00.000Z')
export const ttls: Ttls = { created: 10, queued: 20, working: 30, paused: 40, 'input-required': 50 }

export const fact = <T extends TaskEventType>(type: T, data: TaskEventData<T>): TaskEvent =>
  ({ type, data }) as unknown as TaskEvent

export const createdData: TaskEventData<'TaskCreated'> = {
  task_id: 't1',
  session_id: 's1',
  user_id: 'u1',
  agent: 'script',
  agent_id: 'agent_1',
  workdir: '/w/u1/s1',
  request_id: 'req_1',
  request: { user_message_content: 'hello', stream: false },
  input_ids: ['msg_in'],
  digest: 'd',
}
export const context = [{ stream: 'task-t1', items: ['msg_in'] }]

export const created = fact('TaskCreated', createdData)
export const queued = fact('TaskQueued', { from: 'created' })
export const spawned = fact('AgentSpawned', { agent_id: 'agent_1', workdir: '/w/u1/s1' })
export const started = fact('TaskStarted', { from: 'created', context })
export const stepStarted = (agent_step: number, effect_id: string) =>
  fact('AgentStepStarted', { agent_step, effect_id })
export const stepCompleted = (agent_step: number, effect_id: string) =>
  fact('AgentStepCompleted', { agent_step, effect_id })
export const abandoned = (agent_step: number, effect_id: string) =>
  fact('AgentStepAbandoned', { agent_step, effect_id, items: [] })
export const opened = (item_id: string, delta: string, agent_step = 1) =>
  fact('ItemDelta', {
    agent_step,
    item_id,
    content_index: 0,
    item: 'message',
    part: 'output_text',
    first: true,
    delta,
  })
export const more = (item_id: string, delta: string, agent_step = 1) =>
  fact('ItemDelta', { agent_step, item_id, content_index: 0, part: 'output_text', delta })
export const itemCompleted = (item_id: string, agent_step = 1) =>
  fact('ItemCompleted', { agent_step, item_id, parts: 1 })
export const said = (item_id: string, text: string, agent_step = 1) =>
  fact('ItemSaid', { agent_step, item_id, item: 'message', part: 'output_text', texts: [text] })
export const called = (item_id: string, call_id: string, name: string, agent_step = 1) =>
  fact('ItemSaid', {
    agent_step,
    item_id,
    item: 'tool_call',
    part: 'arguments',
    texts: ['{}'],
    call: { call_id, name },
  })
export const paused = fact('TaskPaused', { from: 'working', reason: 'tea' })
export const resumed = fact('TaskResumed', { from: 'paused' })
export const pauseRequested = fact('PauseRequested', {})
export const cancelRequested = fact('CancelRequested', {})
export const working = [created, spawned, started]

/** A shortest history that ends in each state. */
export const historyOf = {
  absent: [],
  created: [created],
  queued: [created, queued],
  working,
  'input-required': [
    ...working,
    called('tc_1', 'c1', 'ask'),
    stepCompleted(1, 't1/1'),
    fact('InputRequired', { from: 'working', calls: ['c1'] }),
  ],
  paused: [...working, paused],
  completed: [
    ...working,
    fact('AgentCompleted', { agent_id: 'agent_1', success: true }),
    fact('TaskCompleted', { from: 'working' }),
  ],
  canceled: [created, fact('TaskCanceled', { from: 'created' })],
  expired: [created, fact('TaskExpired', { from: 'created' })],
  failed: [
    ...working,
    fact('AgentError', { agent_id: 'agent_1', error: 'no', code: -32000 }),
    fact('TaskFailed', { from: 'working', error: { code: -32000, message: 'no' } }),
  ],
} as const satisfies Record<string, readonly TaskEvent[]>
export type StatusName = keyof typeof historyOf

/** The same history with limits that have passed, whatever it waits for. */
export const overdue = (events: readonly TaskEvent[]): TaskEvent[] =>
  events.map(({ type, data }) => {
    if (type === 'TaskStarted') return { type, data: { ...data, ttl_seconds: 1 } }
    const rests = ['TaskCreated', 'TaskQueued', 'TaskPaused', 'InputRequired'].includes(type)
    return { type, data: rests ? { ...data, expires_at: now } : data } as TaskEvent
  })

/** Events as they come back from the log, numbered. */
export const recorded = (events: readonly TaskEvent[], streamId = 't1'): RecordedTaskEvent[] => {
  let seq = 0
  return events.map((event, revision) => {
    const { type, data } = event
    const frames = frameCount(event)
    const stored = {
      position: revision + 1,
      header: {
        stream: `task-${streamId}`,
        revision,
        type,
        schema_version: 1,
        time: new Date(now - 3_600_000 + revision * 1000).toISOString(),
        principal: 'admin',
        owner: 'u1',
        session_id: 's1',
        correlation_id: streamId,
        causation_id: 'req_1',
        build: 'test',
        seq,
        frames,
      },
      data,
    }
    seq += frames
    return taskEvents.read(stored)
  })
}
export const viewOf = (events: readonly TaskEvent[]): TaskView => recorded(events).reduce(evolve, emptyTask())

const asked = { principal: 'somebody', causation: 'req_2' }
type WithoutAsked<C> = C extends unknown ? Omit<C, 'principal' | 'causation' | 'revision'> : never

/** The events that `command` gives; throws the refusal. */
export const given = (...events: TaskEvent[]) => ({
  when(command: WithoutAsked<TaskCommand>): TaskEvent[] {
    const view = viewOf(events)
    return decide(view, { ...command, ...asked, revision: view.revision } as TaskCommand, {
      now,
      ttls,
    }).events
  },
  /** The same as one word: the types of the events, or why not. */
  answers(command: WithoutAsked<TaskCommand>): string {
    try {
      return this.when(command)
        .map(({ type }) => type)
        .join(' ')
    } catch (error) {
      if (error instanceof Refusal) return `${error.reason} ${error.http} ${error.code}`
      throw error
    }
  },
})
