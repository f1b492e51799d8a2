// Every command in every state: the events or the refusal that the documents name.
import t from 'tap'
import type { TaskEvent } from '../../src/contract/events/task-events.ts'
import { context, createdData, fact, given, historyOf, overdue, type StatusName } from './given.ts'

const notFound = 'TaskNotFound 404 -32001'
const wrongState = 'WrongState 400 -32020'
const ended = 'NotCancelable 400 -32002'
const missing = 'InputMissing 400 -32021'
const conflict = 'Conflict 409 -32023'
const nothing = ''

type Row = Record<StatusName, string>
const table: Record<string, { command: Parameters<ReturnType<typeof given>['when']>[0]; answers: Row }> = {
  create: {
    command: { type: 'CreateTask', created: createdData, start: true, seen: { context } },
    answers: {
      absent: 'TaskCreated AgentSpawned TaskStarted',
      created: conflict,
      queued: conflict,
      working: conflict,
      'input-required': conflict,
      paused: conflict,
      completed: conflict,
      canceled: conflict,
      expired: conflict,
      failed: conflict,
    },
  },
  start: {
    command: { type: 'StartTask', seen: { context } },
    answers: {
      absent: nothing,
      created: 'AgentSpawned TaskStarted',
      queued: 'AgentSpawned TaskStarted',
      working: nothing,
      'input-required': nothing,
      paused: nothing,
      completed: nothing,
      canceled: nothing,
      expired: nothing,
      failed: nothing,
    },
  },
  pause: {
    command: { type: 'PauseTask' },
    answers: {
      absent: notFound,
      created: wrongState,
      queued: wrongState,
      working: 'PauseRequested',
      'input-required': wrongState,
      paused: wrongState,
      completed: wrongState,
      canceled: wrongState,
      expired: wrongState,
      failed: wrongState,
    },
  },
  resume: {
    command: { type: 'ResumeTask' },
    answers: {
      absent: notFound,
      created: wrongState,
      queued: nothing,
      working: nothing,
      'input-required': missing,
      paused: 'TaskResumed',
      completed: wrongState,
      canceled: wrongState,
      expired: wrongState,
      failed: wrongState,
    },
  },
  cancel: {
    command: { type: 'CancelTask' },
    answers: {
      absent: notFound,
      created: 'CancelRequested TaskCanceled',
      queued: 'CancelRequested TaskCanceled',
      working: 'CancelRequested',
      'input-required': 'CancelRequested AgentCompleted TaskCanceled',
      paused: 'CancelRequested AgentCompleted TaskCanceled',
      completed: ended,
      canceled: nothing,
      expired: ended,
      failed: ended,
    },
  },
  expire: {
    command: { type: 'ExpireTask', startedAt: 0 },
    answers: {
      absent: nothing,
      created: 'TaskExpired',
      queued: 'TaskExpired',
      working: 'AgentCompleted TaskExpired',
      'input-required': 'AgentCompleted TaskExpired',
      paused: 'AgentCompleted TaskExpired',
      completed: nothing,
      canceled: nothing,
      expired: nothing,
      failed: nothing,
    },
  },
  delete: {
    command: { type: 'DeleteTask' },
    answers: {
      absent: notFound,
      created: wrongState,
      queued: wrongState,
      working: wrongState,
      'input-required': wrongState,
      paused: wrongState,
      completed: 'TaskDeleted',
      canceled: 'TaskDeleted',
      expired: 'TaskDeleted',
      failed: 'TaskDeleted',
    },
  },
  'record a step': {
    command: { type: 'RecordStep', agentStep: 1, effectId: 't1/1', events: [], end: { end: 'answer' } },
    answers: {
      absent: nothing,
      created: nothing,
      queued: nothing,
      working: 'AgentStepCompleted AgentCompleted TaskCompleted',
      'input-required': nothing,
      paused: nothing,
      completed: nothing,
      canceled: nothing,
      expired: nothing,
      failed: nothing,
    },
  },
  'pause now': {
    command: { type: 'PauseNow', reason: 'secret_missing' },
    answers: {
      absent: nothing,
      created: nothing,
      queued: nothing,
      working: 'TaskPaused',
      'input-required': nothing,
      paused: nothing,
      completed: nothing,
      canceled: nothing,
      expired: nothing,
      failed: nothing,
    },
  },
}
const idle = Object.fromEntries(Object.keys(historyOf).map(status => [status, nothing])) as Row
table['abandon a step'] = { command: { type: 'AbandonStep' }, answers: idle }
table['finish a cancel that nobody asked for'] = {
  command: { type: 'FinishCancel', receipts: [] },
  answers: idle,
}

for (const [name, { command, answers }] of Object.entries(table)) {
  t.test(`${name}, in every state`, async t => {
    for (const [status, expected] of Object.entries(answers)) {
      const events = historyOf[status as StatusName] as readonly TaskEvent[]
      t.equal(given(...(name === 'expire' ? overdue(events) : events)).answers(command), expected, status)
    }
  })
}

t.test('a deleted task is not there for anybody', async t => {
  const deleted = [...historyOf.completed, fact('TaskDeleted', { by: 'somebody' })]
  for (const type of ['PauseTask', 'ResumeTask', 'CancelTask', 'DeleteTask'] as const) {
    t.equal(given(...deleted).answers({ type }), notFound, type)
  }
  t.equal(
    given(...deleted).answers({ type: 'CreateTask', created: createdData, start: true, seen: { context } }),
    conflict,
    'its id is not given twice',
  )
})
