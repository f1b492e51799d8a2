// The operations that create, read and steer tasks.
import Type from 'typebox'
import { Frame } from '../../contract/frames.ts'
import { TaskEnvelope, TaskListEnvelope } from '../../contract/responses.ts'
import {
  AnswerCallsBody,
  CreateTaskBody,
  DecideApprovalBody,
  ForkTaskBody,
  PostMessageBody,
  RewardBody,
  Task,
  taskStatuses,
} from '../../contract/wire.ts'
import { createExamples, echoStream, echoSummary, echoTask, waitingTask } from '../examples.ts'
import { type Answer, defineOperations, eventStream, json } from '../operation.ts'
import { idempotencyKey, limit, query, retryCount, taskId, text, time, usually } from '../parameters.ts'
import { erasing, orErasure } from './erasures.ts'

const theTask = (about: string, ...headers: Answer['headers'] & object): Answer => ({
  status: 200,
  about,
  type: json,
  schema: Task,
  examples: { task: echoTask },
  ...(headers.length === 0 ? {} : { headers }),
})
const inEnvelope = (about: string, ...headers: Answer['headers'] & object): Answer => ({
  status: 200,
  about,
  type: json,
  schema: TaskEnvelope,
  examples: { task: { jsonrpc: '2.0', id: 'req_1', result: echoTask } },
  ...(headers.length === 0 ? {} : { headers }),
})

export const taskOperations = defineOperations({
  createTask: {
    method: 'POST',
    path: '/v1/tasks',
    tag: 'Tasks',
    access: 'write',
    envelope: true,
    summary: 'Create a task',
    about:
      'Gives a task to an agent. With `stream: true` the answer is the stream of the task’s frames. With `stream: false` the answer is the task, and the server sends it when the task has ended, waits for its client, or is paused. If this takes longer than 10 seconds, the answer begins with spaces, which keep the connection alive. With `background: true` the server answers at once.\n\nThe task continues when the connection breaks, unless the body has `on_disconnect: "cancel"`. The server recognizes a retry by `Idempotency-Key`, else by the `task_id` of the body, else by `X-Stainless-Retry-Count`.\n\nThe request answers a waiting task if its `history_messages` have results for calls of that task. With the `task_id` of the waiting task, that task continues. Without a `task_id`, a new task of the session continues the conversation.',
    parameters: [idempotencyKey, retryCount],
    body: { schema: CreateTaskBody, examples: createExamples },
    answers: [
      {
        ...inEnvelope('The task.', 'Idempotency-Replayed'),
        examples: {
          completed: { jsonrpc: '2.0', id: 'req_1', result: echoTask },
          'input-required': { jsonrpc: '2.0', id: 'req_2', result: waitingTask },
        },
      },
      {
        status: 200,
        about:
          'With `stream: true`: frames as server-sent events, `event: <type>` and `data: {"jsonrpc", "id", "result": <frame>}`, without `id:` lines. The stream ends when the task has ended, waits for its client, or is paused.',
        type: eventStream,
        items: Type.Object({ jsonrpc: Type.Literal('2.0'), id: Type.String(), result: Frame }),
        headers: ['X-Task-Id', 'Content-Location', 'Idempotency-Replayed'],
        examples: { echo: echoStream },
      },
    ],
    refusals: [
      'InputMissing',
      'AlreadyAnswered',
      'WrongState',
      'Forbidden',
      'TaskNotFound',
      'Conflict',
      'OverQuota',
    ],
  },
  listTasks: {
    method: 'GET',
    path: '/v1/tasks',
    tag: 'Tasks',
    access: 'read',
    envelope: true,
    summary: 'List tasks',
    about:
      'The tasks that the token reaches, newest first. A cursor is the id of a task. The list does not contain that task itself.',
    parameters: [
      query('session_id', text, 'Only tasks of this session.'),
      query('user_id', text, 'Only tasks of this user.'),
      query(
        'status',
        Type.Array(Type.Enum([...taskStatuses])),
        'Only tasks with one of these statuses. For several statuses, repeat the parameter, as `status` or as `status[]`.',
      ),
      query('agent', text, 'Only tasks that this agent runs.'),
      query(
        'error',
        text,
        'Only failed tasks whose error has this text in its code or in the first 2,000 characters of its message. Upper and lower case count as equal.',
      ),
      query(
        'created_after',
        time,
        'Only tasks that were created at this time or later: Unix seconds or ISO 8601.',
      ),
      query(
        'created_before',
        time,
        'Only tasks that were created before this time: Unix seconds or ISO 8601.',
      ),
      query(
        'fields',
        Type.Enum(['counts', 'summary']),
        '`counts`: the numbers of tasks, by status and by agent, in place of a page of tasks. `summary`: tasks without their output, each with the beginning of the user’s message and with its times.',
      ),
      query(
        'as_of',
        text,
        'The tasks as they were in the past: at a position of the log (`position:N`), or at an ISO 8601 time. With this parameter, admins and auditors also get tasks that were deleted since.',
      ),
      query('starting_after', text, 'The tasks that follow this task in the list.'),
      query('ending_before', text, 'The tasks just before this task in the list.'),
      limit(100, 10, 'tasks'),
      query('order', usually(Type.Enum(['asc', 'desc']), 'desc'), '`desc`: newest first.'),
      query(
        'include_subtasks',
        usually(Type.Boolean(), false),
        '`true`: the list also contains the tasks of subagents.',
      ),
    ],
    answers: [
      {
        status: 200,
        about: 'A page of tasks. With `fields=counts`: the numbers of tasks.',
        type: json,
        schema: TaskListEnvelope,
        headers: ['Link'],
        examples: {
          one: { jsonrpc: '2.0', id: 'req_1', result: [echoTask] },
          summary: { jsonrpc: '2.0', id: 'req_1', result: [echoSummary] },
          counts: {
            jsonrpc: '2.0',
            id: 'req_1',
            result: {
              total: 12,
              by_status: { completed: 11, failed: 1 },
              by_agent: { echo: { completed: 4 }, model: { completed: 7, failed: 1 } },
            },
          },
        },
      },
    ],
  },
  getTask: {
    method: 'GET',
    path: '/v1/tasks/{task_id}',
    tag: 'Tasks',
    access: 'read',
    envelope: true,
    summary: 'Get a task',
    about: 'The task as it is now, or with `as_of` as it was.',
    parameters: [
      taskId,
      query(
        'as_of',
        text,
        'The time in the past: the number of a frame, a position of the log (`position:N`), or an ISO 8601 time. The answer is the task as it was after the event that gave the frame, after that position, or at that time.',
      ),
    ],
    answers: [inEnvelope('The task.')],
    refusals: ['TaskNotFound'],
  },
  deleteTask: {
    method: 'DELETE',
    path: '/v1/tasks/{task_id}',
    tag: 'Tasks',
    access: 'remove',
    summary: 'Delete a task',
    about:
      'If the task has not ended, the server cancels it first. The events of the task stay in the log, for auditors. With `erase`, the server destroys the content of these events as well; the task must have ended.',
    parameters: [taskId, ...erasing],
    answers: [orErasure(inEnvelope('The last state of the task, in an envelope.'), TaskEnvelope)],
    refusals: ['TaskNotFound', 'NotErasable', 'ErasureUnfinished'],
  },
  cancelTask: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/cancel',
    tag: 'Tasks',
    access: 'write',
    summary: 'Cancel a task',
    about:
      'Stops the task, and answers when the task is canceled. If the task was canceled before, the server returns it unchanged. If another cancel is under way, both get their answers together.',
    parameters: [taskId],
    answers: [theTask('The task, canceled.')],
    refusals: ['NotCancelable', 'TaskNotFound'],
  },
  pauseTask: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/pause',
    tag: 'Tasks',
    access: 'write',
    summary: 'Pause a task',
    about:
      'Pauses a working task before its next agent step. The server answers at once, while the task is still working.',
    parameters: [taskId],
    answers: [theTask('The task, still working.')],
    refusals: ['WrongState', 'TaskNotFound'],
  },
  resumeTask: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/resume',
    tag: 'Tasks',
    access: 'write',
    summary: 'Resume a task',
    about:
      'Resumes a paused task. The server returns a working or queued task unchanged. A call whose outcome is unknown (`metadata.reason` is `outcome_unknown`) runs again.',
    parameters: [taskId],
    answers: [theTask('The task.')],
    refusals: ['WrongState', 'InputMissing', 'TaskNotFound'],
  },
  answerCalls: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/input',
    tag: 'Tasks',
    access: 'write',
    summary: 'Answer calls',
    about:
      'Gives the task results of some or all of its calls of client tools, or the result of a call whose outcome is unknown. The task continues when no result is missing. A repeated answer changes nothing. The server refuses a different answer to a call that was answered before.',
    parameters: [taskId],
    body: {
      schema: AnswerCallsBody,
      examples: {
        answer: {
          summary: 'One result',
          value: { tool_results: [{ call_id: 'call_1', message_content: 'yes' }] },
        },
      },
    },
    answers: [theTask('The task.')],
    refusals: ['AlreadyAnswered', 'WrongState', 'TaskNotFound'],
  },
  decideApproval: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/approvals',
    tag: 'Tasks',
    access: 'write',
    summary: 'Approve or refuse a call',
    about:
      'Decides about a call that waits for an approval (`metadata.approval` of the pending call). An approved call runs, with `arguments` in place of those of the agent if you give some. A refused call does not run: its result tells the agent so, with your reason. The decision is stored with your name and the time. A repeated decision changes nothing. The server refuses a different decision about a call that was decided before, and about a call that has a result.',
    parameters: [taskId],
    body: {
      schema: DecideApprovalBody,
      examples: {
        approve: { summary: 'The call may run', value: { call_id: 'call_1', decision: 'approve' } },
        edit: {
          summary: 'The call may run with other arguments',
          value: {
            call_id: 'call_1',
            decision: 'approve',
            arguments: { path: 'notes/draft.md', content: 'Hello' },
          },
        },
        refuse: {
          summary: 'The call may not run',
          value: { call_id: 'call_1', decision: 'refuse', reason: 'Write to the folder notes instead.' },
        },
      },
    },
    answers: [theTask('The task.')],
    refusals: ['AlreadyAnswered', 'WrongState', 'TaskNotFound', 'ToolsAway'],
  },
  postMessage: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/messages',
    tag: 'Tasks',
    access: 'write',
    summary: 'Say something to a working agent',
    about:
      'The agent’s next step sees the message. `event` in place of `content` sends an event to the statechart of an agent of a user. A task that has ended accepts no message.',
    parameters: [taskId, idempotencyKey, retryCount],
    body: {
      schema: PostMessageBody,
      examples: {
        hint: { summary: 'A hint', value: { content: 'Look at the last page first.' } },
        event: { summary: 'An event for a statechart', value: { event: { type: 'approve', by: 'Ada' } } },
      },
    },
    answers: [theTask('The task.', 'Idempotency-Replayed')],
    refusals: ['WrongState', 'TaskNotFound', 'Conflict'],
  },
  forkTask: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/fork',
    tag: 'Tasks',
    access: 'write',
    summary: 'Fork a task',
    about:
      'Makes a new task whose past is a copy of the past of this task, up to the end of the append that gave the frame `at`. Results of that past stay, and nothing of it runs again. Work that had begun and had no result by then counts as not begun. The new task continues from there on its own, in a copy of the session. `agent_config` replaces settings of the agent one by one. `user_message_content` is a further message, which the next step sees. With `run: false` the new task is paused.',
    parameters: [taskId, idempotencyKey, retryCount],
    body: {
      schema: ForkTaskBody,
      examples: {
        again: { summary: 'From frame 7', value: { at: 7 } },
        other: {
          summary: 'With another model and a hint',
          value: {
            at: 7,
            agent_config: { model: 'large' },
            user_message_content: 'Look at the last page first.',
            run: true,
          },
        },
      },
    },
    answers: [theTask('The new task.', 'Idempotency-Replayed')],
    refusals: ['TaskNotFound', 'Conflict', 'OverQuota'],
  },
  rewardTask: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/reward',
    tag: 'Tasks',
    access: 'write',
    summary: 'Judge a task',
    about:
      'Stores a reward, also after the task has ended. The last rollout of the task contains the newest reward.',
    parameters: [taskId],
    body: {
      schema: RewardBody,
      examples: { good: { summary: 'It was right', value: { value: 1, name: 'correct' } } },
    },
    answers: [theTask('The task.')],
    refusals: ['TaskNotFound'],
  },
})
