// The requests about tasks.
import { definitionsOf, type Tools } from './answers.ts'
import { type Link, pathOf } from './link.ts'
import { type List, listAfter } from './lists.ts'
import { type FollowOptions, type Run, runOf } from './run.ts'
import { type Creating, resultOf, type Sending, send } from './send.ts'
import type {
  AnswerCallsBody,
  CreateTaskBody,
  DecideApprovalBody,
  Difference,
  ForkTaskBody,
  MachineEvent,
  MessageContent,
  RewardBody,
  Task,
  TaskCounts,
  TaskStatus,
  TaskSummary,
} from './types.ts'

/** What a task is to do. The client decides how the answer comes. */
export type TaskBody = Omit<CreateTaskBody, 'stream' | 'background' | 'on_disconnect'>

export type TaskFilter = {
  session_id?: string | undefined
  user_id?: string | undefined
  status?: TaskStatus | readonly TaskStatus[] | undefined
  agent?: string | undefined
  error?: string | undefined
  created_after?: string | number | undefined
  created_before?: string | number | undefined
  include_subtasks?: boolean | undefined
  as_of?: string | undefined
}
export type TaskQuery = TaskFilter & {
  /** The id of a task: the list begins after it. */
  starting_after?: string | undefined
  order?: 'asc' | 'desc' | undefined
  /** The size of a page, up to 100. */
  limit?: number | undefined
}

/** The body of a create that is answered at once, while the task goes on. */
export const inBackground = (body: TaskBody, tools: Tools = {}): CreateTaskBody => {
  const defined = body.client_tools ?? []
  const more = definitionsOf(tools, defined)
  return {
    ...body,
    ...(more.length === 0 ? {} : { client_tools: [...defined, ...more] }),
    stream: false,
    background: true,
  }
}

export const createOf = (
  link: Link,
  body: CreateTaskBody,
  { signal, idempotencyKey }: Creating,
): Promise<Task> =>
  resultOf(link, { method: 'POST', path: '/v1/tasks', body, signal, key: idempotencyKey ?? true })

const hasNext = (_: unknown, headers: Headers) => /rel="?next\b/.test(headers.get('link') ?? '')
type Envelope<T> = { result: T }
const inEnvelope = <T>({ result }: Envelope<T[]>): T[] => result
const idIn = ({ id }: { id: string }) => id

export const tasksOf = (link: Link) => {
  const post = <T = Task>(path: string, { signal }: Sending = {}, body?: unknown, key?: string | true) =>
    send<T>(link, { method: 'POST', path, body, signal, key })
  return {
    /** Creates a task, and resolves at once, while the task goes on. */
    create: (body: TaskBody, options: Creating = {}): Promise<Task> =>
      createOf(link, inBackground(body), options),
    /** The frames of a task that is there already, as those of `run`. */
    follow: (id: string, options: FollowOptions = {}): Run => runOf(link, async () => id, options),
    /** `as_of`: the number of a frame, `position:N`, or a time in ISO format. */
    get: (id: string, { as_of, signal }: Sending & { as_of?: string | number } = {}): Promise<Task> =>
      resultOf(link, { method: 'GET', path: pathOf`/v1/tasks/${id}`, query: { as_of }, signal }),
    /** The tasks, newest first. */
    list: (query: TaskQuery = {}, { signal }: Sending = {}): List<Task> =>
      listAfter(link, { method: 'GET', path: '/v1/tasks', query, signal }, inEnvelope<Task>, idIn, hasNext),
    /** The tasks without their output, each with the beginning of its question and with its times. */
    summaries: (query: TaskQuery = {}, { signal }: Sending = {}): List<TaskSummary> =>
      listAfter(
        link,
        { method: 'GET', path: '/v1/tasks', query: { ...query, fields: 'summary' }, signal },
        inEnvelope<TaskSummary>,
        idIn,
        hasNext,
      ),
    /** The numbers of tasks, by status and by agent. */
    counts: (query: TaskFilter = {}, { signal }: Sending = {}): Promise<TaskCounts> =>
      resultOf(link, { method: 'GET', path: '/v1/tasks', query: { ...query, fields: 'counts' }, signal }),
    cancel: (id: string, options?: Sending): Promise<Task> => post(pathOf`/v1/tasks/${id}/cancel`, options),
    pause: (id: string, options?: Sending): Promise<Task> => post(pathOf`/v1/tasks/${id}/pause`, options),
    resume: (id: string, options?: Sending): Promise<Task> => post(pathOf`/v1/tasks/${id}/resume`, options),
    /** Gives the results of calls for which the task waits. */
    input: (id: string, results: AnswerCallsBody['tool_results'], options?: Sending): Promise<Task> =>
      post(pathOf`/v1/tasks/${id}/input`, options, { tool_results: results }),
    /** Decides about a call that waits for an approval. */
    approvals: (id: string, decision: DecideApprovalBody, options?: Sending): Promise<Task> =>
      post(pathOf`/v1/tasks/${id}/approvals`, options, decision),
    /** Says something to the agent while it works, or sends an event to its statechart. */
    messages: (
      id: string,
      said: MessageContent | { event: MachineEvent },
      options: Creating = {},
    ): Promise<Task> =>
      post(
        pathOf`/v1/tasks/${id}/messages`,
        options,
        typeof said === 'object' && 'event' in said ? said : { content: said },
        options.idempotencyKey ?? true,
      ),
    /** Makes a new task with the past of this one up to the frame `at`. */
    fork: (id: string, body: ForkTaskBody, options: Creating = {}): Promise<Task> =>
      post(pathOf`/v1/tasks/${id}/fork`, options, body, options.idempotencyKey ?? true),
    /** Where two tasks differ. */
    diff: (id: string, other: string, { signal }: Sending = {}): Promise<Difference> =>
      send(link, { method: 'GET', path: pathOf`/v1/tasks/${id}/diff/${other}`, signal }),
    /** Gives the task a reward. Each request gives one, so it is not made again when its answer is lost. */
    reward: (id: string, body: RewardBody, { signal }: Sending = {}): Promise<Task> =>
      send(link, { method: 'POST', path: pathOf`/v1/tasks/${id}/reward`, body, signal, once: true }),
    /** Deletes the task, which is canceled first if it has not ended. */
    delete: (id: string, { signal }: Sending = {}): Promise<Task> =>
      resultOf(link, { method: 'DELETE', path: pathOf`/v1/tasks/${id}`, signal }),
  }
}
