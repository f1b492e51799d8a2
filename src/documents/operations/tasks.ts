// The operations of a task's life.
import Type from 'typebox'
import { Frame } from '../../contract/frames.ts'
import { TaskEnvelope, TaskListEnvelope } from '../../contract/responses.ts'
import {
  AnswerCallsBody,
  CreateTaskBody,
  PostMessageBody,
  RewardBody,
  Task,
  taskStatuses,
} from '../../contract/wire.ts'
import { createExamples, echoStream, echoSummary, echoTask, waitingTask } from '../examples.ts'
import { type Answer, defineOperations, eventStream, json } from '../operation.ts'
import { idempotencyKey, limit, query, retryCount, taskId, text, time } from '../parameters.ts'

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
      'Gives a task to an agent. With `stream: true` the answer is its stream of frames. With `stream: false` it is the task, when it has ended, or waits for its client, or is paused; an answer that takes longer than 10 seconds begins with spaces, which keep the connection alive. With `background: true` the server answers at once.\n\nThe work never depends on the connection. A retry is recognized by `Idempotency-Key`, else by the `task_id` of the body, else by `X-Stainless-Retry-Count`.\n\nA create whose `history_messages` hold results for calls of a waiting task answers it: with `task_id` that task continues, without it a new task of the session does.',
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
          'With `stream: true`: frames as server-sent events, `event: <type>` and `data: {"jsonrpc", "id", "result": <frame>}`, without `id:` lines. The stream ends with the task, or when the task waits or is paused.',
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
      'Tasks that the token reaches, newest first. A cursor is the id of a task, which is not listed itself.',
    parameters: [
      query('session_id', text, 'Tasks of this session.'),
      query('user_id', text, 'Tasks of this user.'),
      query(
        'status',
        Type.Array(Type.Enum([...taskStatuses])),
        'Tasks in any of these states; repeated, as `status` or as `status[]`.',
      ),
      query('agent', text, 'Tasks that this agent runs.'),
      query(
        'error',
        text,
        'Failed tasks whose error has this text in its code or in the first 2,000 characters of its message, in upper or lower case.',
      ),
      query('created_after', time, 'Tasks created at this moment or later.'),
      query('created_before', time, 'Tasks created before this moment.'),
      query(
        'fields',
        Type.Enum(['counts', 'summary']),
        '`counts`: how many tasks there are, by status and by agent, instead of a page of them. `summary`: tasks without their output, each with the beginning of the question and its times.',
      ),
      query('starting_after', text, 'The tasks after this one in the list.'),
      query('ending_before', text, 'The tasks just before this one in the list.'),
      limit(100, 10, 'tasks'),
      query('order', Type.Enum(['asc', 'desc'], { default: 'desc' }), '`desc`: newest first.'),
      query('include_subtasks', Type.Boolean({ default: false }), 'Tasks of subagents too.'),
    ],
    answers: [
      {
        status: 200,
        about: 'A page of tasks, or with `fields=counts` how many there are.',
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
    about: 'The task as it is now, or as it was.',
    parameters: [
      taskId,
      query(
        'as_of',
        text,
        'The task as it was after the event that holds a frame (its number), after a position of the log (`position:N`), or at an ISO 8601 time.',
      ),
    ],
    answers: [inEnvelope('The task.')],
    refusals: ['TaskNotFound'],
  },
  deleteTask: {
    method: 'DELETE',
    path: '/v1/tasks/{task_id}',
    tag: 'Tasks',
    access: 'write',
    summary: 'Delete a task',
    about: 'Cancels it first if it has not ended. Its events stay in the log, for auditors.',
    parameters: [taskId],
    answers: [inEnvelope('The last state of the task.')],
    refusals: ['TaskNotFound'],
  },
  cancelTask: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/cancel',
    tag: 'Tasks',
    access: 'write',
    summary: 'Cancel a task',
    about:
      'Stops the task, and answers when it is canceled. A task that was canceled before is returned unchanged; a second cancel joins the first.',
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
    about: 'Only a working task. Answers at once; the task is paused before its next agent step.',
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
      'Resumes a paused task; a task that works or is queued is returned unchanged. A call whose outcome nobody knows (`metadata.reason` is `outcome_unknown`) runs again.',
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
      'Results of client tools, some or all, or of a call whose outcome is unknown. The task continues when no result is missing. A repeated answer changes nothing; a different one is refused.',
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
  postMessage: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/messages',
    tag: 'Tasks',
    access: 'write',
    summary: 'Say something to a working agent',
    about: 'The agent sees it before its next step. A task that has ended accepts no message.',
    parameters: [taskId, idempotencyKey, retryCount],
    body: {
      schema: PostMessageBody,
      examples: { hint: { summary: 'A hint', value: { content: 'Look at the last page first.' } } },
    },
    answers: [theTask('The task.', 'Idempotency-Replayed')],
    refusals: ['WrongState', 'TaskNotFound', 'Conflict'],
  },
  rewardTask: {
    method: 'POST',
    path: '/v1/tasks/{task_id}/reward',
    tag: 'Tasks',
    access: 'write',
    summary: 'Judge a task',
    about: 'Stores a reward, also after the task has ended. The last rollout contains the newest one.',
    parameters: [taskId],
    body: {
      schema: RewardBody,
      examples: { good: { summary: 'It was right', value: { value: 1, name: 'correct' } } },
    },
    answers: [theTask('The task.')],
    refusals: ['TaskNotFound'],
  },
})
