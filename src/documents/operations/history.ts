// The operations that read the past: rollouts, replays, state machines, and the log.
import Type from 'typebox'
import { AuditEvent, AuditEventList, AuditStreamList } from '../../contract/audit-responses.ts'
import {
  Difference,
  Machine,
  Replay,
  RolloutDelta,
  RolloutEntry,
  RolloutList,
  Trajectory,
} from '../../contract/responses.ts'
import { defineOperations, json, ndjson } from '../operation.ts'
import { after, limit, otherTask, pages, query, taskId, text } from '../parameters.ts'

const fromStart = after('The position after which the answer begins.', 0)
const form = query(
  'form',
  Type.Enum(['whole', 'delta'], { default: 'whole' }),
  '`delta`: the messages of each entry as the difference to an earlier entry of the same task in the same answer (`RolloutDelta`). Whole entries grow with the square of the steps.',
)

export const historyOperations = defineOperations({
  getRollouts: {
    method: 'GET',
    path: '/v1/tasks/{task_id}/rollouts',
    tag: 'History',
    access: 'read',
    summary: 'Get the rollouts of a task',
    about:
      'The input and output of each completed agent step, folded from the log. Steps of subagents and summaries are included if the create asked for them. The answer is one page: it ends early when its entries are large, but has one entry at least. The `position` of the last entry is the cursor of the next page. As JSON lines, the page after the last one is empty.',
    parameters: [
      taskId,
      fromStart,
      limit(1000, 100, 'entries'),
      form,
      query(
        'format',
        Type.Enum(['json', 'jsonl', 'atif'], { default: 'json' }),
        '`jsonl`: one entry on each line. `atif`: one document in the Agent Trajectory Interchange Format 1.7, which has the whole task, without `after`, `limit` and `form`.',
      ),
    ],
    answers: [
      {
        status: 200,
        about: 'A page of entries. With `format=atif`: the document.',
        type: json,
        schema: Type.Union([RolloutList, Trajectory]),
      },
      {
        status: 200,
        about: 'With `format=jsonl`: one entry on each line.',
        type: ndjson,
        items: Type.Union([RolloutEntry, RolloutDelta]),
      },
    ],
    refusals: ['TaskNotFound'],
  },
  listRollouts: {
    method: 'GET',
    path: '/v1/rollouts',
    tag: 'History',
    access: 'read',
    summary: 'Read the rollouts of all tasks',
    about:
      'The entries of every task, ordered by position; the entries of a subagent appear once, for its own task. The `position` of the last entry is the cursor of the next page. A page ends early when its entries are large, but has one entry at least; the page after the last one is empty.',
    parameters: [fromStart, limit(1000, 100, 'entries'), form],
    answers: [
      {
        status: 200,
        about: 'One entry on each line.',
        type: ndjson,
        items: Type.Union([RolloutEntry, RolloutDelta]),
      },
    ],
  },
  diffTasks: {
    method: 'GET',
    path: '/v1/tasks/{task_id}/diff/{other}',
    tag: 'History',
    access: 'read',
    summary: 'Compare two tasks',
    about:
      'Compares the frames, the output and the stored events of two tasks, for example of a fork and of the task from which it comes. Ids and times do not count.',
    parameters: [taskId, otherTask],
    answers: [
      {
        status: 200,
        about: 'Where the tasks differ.',
        type: json,
        schema: Difference,
        examples: {
          end: {
            first_divergence: 7,
            items: [],
            facts: [
              {
                left: { revision: 5, sequence_number: 7, type: 'TaskCompleted' },
                right: { revision: 5, sequence_number: 7, type: 'TaskPaused' },
                same: false,
              },
            ],
          },
        },
      },
    ],
    refusals: ['TaskNotFound'],
  },
  replayTask: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/replay',
    tag: 'History',
    access: 'read',
    summary: 'Replay a task',
    about:
      'Folds the stored events of the task again, and compares the result with the read models. No agent and no tool runs, and nothing is stored. With `at`, only the events up to that moment are folded, and the result is compared with what `GET /v1/tasks/{task_id}?as_of=` answers for it.',
    parameters: [
      taskId,
      query(
        'at',
        text,
        'A moment of the past: the number of a frame, a position of the log (`position:N`), or an ISO 8601 time. Absent: all events.',
      ),
    ],
    answers: [{ status: 200, about: 'The result of the comparison.', type: json, schema: Replay }],
    refusals: ['TaskNotFound'],
  },
  getMachine: {
    method: 'GET',
    path: '/v1/tasks/{task_id}/machine',
    tag: 'History',
    access: 'read',
    summary: 'Get the state machine of a task',
    about:
      'The statechart, the present state of the task in it, and the events that may follow. For an agent that is a statechart of a user, this is the statechart of the agent, as its newest stored turn left it; `task` has that of the task.',
    parameters: [
      taskId,
      query(
        'as_of',
        text,
        'A moment of the past, as in `GET /v1/tasks/{task_id}`. The answer is the state machine as it was.',
      ),
    ],
    answers: [{ status: 200, about: 'The state machine.', type: json, schema: Machine }],
    refusals: ['TaskNotFound'],
  },
  auditEvents: {
    method: 'GET',
    path: '/v1/audit/events',
    tag: 'History',
    access: 'read',
    summary: 'Read the log',
    about:
      'The stored events that the token reaches, in the order of the log, with the exact texts from which their hashes were made. As JSON, the answer is one page: 100 events unless `limit` says otherwise, and fewer if the events are large. With `Accept: application/x-ndjson`, the answer has all events up to the end of the log, one event on each line.',
    parameters: [
      after('Only events after this position.', 0),
      query('stream', text, 'Only events of this stream, such as `task-<id>`.'),
      ...pages(1000, 100, 'events'),
    ],
    answers: [
      { status: 200, about: 'A page of events.', type: json, schema: AuditEventList },
      { status: 200, about: 'One event on each line.', type: ndjson, items: AuditEvent },
    ],
    refusals: ['TaskNotFound'],
  },
  auditStreams: {
    method: 'GET',
    path: '/v1/audit/streams',
    tag: 'History',
    access: 'read',
    summary: 'List the streams of the log',
    about: 'The streams of the log, in the order of their creation, or newest first.',
    parameters: [
      after('Only streams that begin after this position.', 0),
      query('before', Type.Integer({ minimum: 1 }), 'Only streams that begin before this position.'),
      query('order', Type.Enum(['asc', 'desc'], { default: 'asc' }), '`desc`: newest first.'),
      ...pages(1000, 100, 'streams'),
      query(
        'search',
        text,
        'Only streams whose name contains this text, in upper or lower case, or that belong to the user with this name.',
      ),
    ],
    answers: [{ status: 200, about: 'A page of streams.', type: json, schema: AuditStreamList }],
  },
})
