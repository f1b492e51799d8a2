// The operations on tasks that HTTP and the WebSocket share. Their answers are tasks as JSON text.

import type { Feed, FoldPlace } from '../../bus/feed.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import type { GivenPush } from '../../contract/events/webhook-events.ts'
import { Invalid, type Problem } from '../../contract/refusals.ts'
import {
  type AnswerCallsBody,
  type CreateTaskBody,
  type DecideApprovalBody,
  type ForkTaskBody,
  isTerminal,
  type PostMessageBody,
} from '../../contract/wire.ts'
import type { Retry } from '../../once/once.ts'
import type { Text } from '../../platform/pieces.ts'
import { isEmpty } from '../../tasks/call-answers.ts'
import { type Commands, isAtRest } from '../../tasks/commands.ts'
import { withFullNames } from '../../tasks/fork/fork-request.ts'
import type { TaskDoor } from '../doors.ts'

/** The caller of an operation. A feed that the operation opens takes `place` while it reads stored events. */
export type Caller = { principal: Principal; requestId: string; place?: FoldPlace }

export type Made = {
  taskId: string
  /** True: the task is new, or an earlier call of this request created it. False: the call answered a waiting task. */
  made: boolean
  replayed: boolean
  /** The id of the request under which the task's frames are sent. */
  requestId: string
  /** True: the caller need not wait, and `rested` is `now`. */
  isReady: boolean
  now(): Promise<Text>
  /** Resolves with the task when it has ended, waits or is paused. With `background` it resolves at once. */
  rested(): Promise<Text>
  /** The task's frames: all, or only those after the answers of the request. The caller must close the feed. */
  feed(): Promise<Feed>
}

const tooShort = (loc: Problem['loc'], what: string): Invalid =>
  new Invalid([{ loc, msg: `${what} should not be empty`, type: 'too_short' }])

/** The message of a body. Throws Invalid unless the body has a content or an event. */
const messageOf = ({ content, event }: PostMessageBody) => {
  if (event !== undefined && content !== undefined) {
    const msg = 'Value error, give content or event, not both'
    throw new Invalid([{ loc: ['body', 'event'], msg, type: 'value_error' }])
  }
  if (event !== undefined) {
    if (!event.type.startsWith('xstate.')) return { event }
    const msg = 'Value error, events whose type begins with xstate. are made by the statechart itself'
    throw new Invalid([{ loc: ['body', 'event', 'type'], msg, type: 'value_error' }])
  }
  if (content === undefined) {
    throw new Invalid([{ loc: ['body', 'content'], msg: 'Field required', type: 'missing' }])
  }
  if (isEmpty(content)) throw tooShort(['body', 'content'], 'Content')
  return content
}

export type TaskCallDeps = Pick<
  TaskDoor,
  'afterAnswers' | 'commands' | 'newItemId' | 'openFeed' | 'queries' | 'recall' | 'requests' | 'streamOf'
>

type Follow = (taskId: string, after: number) => Feed
type Created = Awaited<ReturnType<Commands['create']>>
type Replayed = Extract<Created, { replay: unknown }>

/** The result for a task that an earlier call of this request created. */
const madeBefore = (
  { commands, recall }: TaskCallDeps,
  { replay }: Replayed,
  { background }: CreateTaskBody,
  follow: Follow,
): Made => {
  const { id: taskId } = replay
  const now = async () => recall.ofRow(replay).text
  return {
    taskId,
    made: true,
    replayed: true,
    requestId: replay.request_id,
    isReady: false,
    now,
    rested: async () =>
      background || isTerminal(replay.status) ? now() : recall.textOf(await commands.atRest(taskId)),
    feed: async () => follow(taskId, -1),
  }
}

/**
 * The result for a new task or for a task that was answered. `ofNew` is the feed that was opened before the new task
 * was stored.
 */
const madeNow = (
  { commands, recall, afterAnswers }: TaskCallDeps,
  { taskId, view, answered }: Exclude<Created, Replayed>,
  { requestId, background }: { requestId: string; background: boolean },
  { follow, ofNew }: { follow: Follow; ofNew: Feed | undefined },
): Made => {
  const isReady = background || isAtRest(view)
  const now = async () => recall.textOf(view)
  return {
    taskId,
    made: answered === undefined,
    replayed: answered?.again === true,
    requestId,
    isReady,
    now,
    rested: async () => (isReady ? now() : recall.textOf(await commands.atRest(taskId))),
    async feed() {
      if (ofNew !== undefined) return ofNew
      // The stream of an answer begins after the answer was accepted.
      return follow(taskId, answered === undefined ? -1 : await afterAnswers(taskId, answered.callIds))
    },
  }
}

/** `push`: the webhook that a client of another protocol asks for. */
type Given = { body: CreateTaskBody; digest?: string | undefined; push?: GivenPush | undefined }

/**
 * Creates or answers a task. `endsAtWait` says whether the stream of the frames ends when the task waits, as in
 * `openFeed`. `digest` is the digest of the body, if it was computed before.
 */
const create = async (
  tasks: TaskCallDeps,
  { principal, requestId, place }: Caller,
  { body, digest, push }: Given,
  { key, isRetry }: Retry,
  endsAtWait: boolean,
): Promise<Made> => {
  const { commands, openFeed, streamOf } = tasks
  const follow: Follow = (taskId, after) =>
    openFeed({ stream: streamOf(taskId), after, endsAtWait, ...(place === undefined ? {} : { place }) })
  const read = await tasks.requests.read(principal, body, digest)
  const request = push === undefined ? read : tasks.requests.withPush(read, push)
  let ofNew: Feed | undefined
  const created = await commands
    .create({
      principal,
      request,
      body,
      envelopeId: requestId,
      idempotencyKey: key,
      isRetry,
      onNew: stream => {
        if (body.stream) ofNew = openFeed({ stream, after: -1, endsAtWait }, true)
      },
    })
    .catch(error => {
      ofNew?.close()
      throw error
    })
  if ('replay' in created) return madeBefore(tasks, created, body, follow)
  const asked = { requestId, background: body.background === true }
  return madeNow(tasks, created, asked, { follow, ofNew })
}

const callAnswersOf = (newItemId: () => string, { tool_results }: AnswerCallsBody) => {
  if (tool_results.length === 0) throw tooShort(['body', 'tool_results'], 'List')
  return tool_results.map(({ call_id, message_content, block_list, status }) => ({
    callId: call_id,
    itemId: newItemId(),
    ...(status === 'incomplete' ? { failed: true as const } : {}),
    content: message_content,
    blocks: block_list ?? [],
  }))
}

export const createTaskCalls = (tasks: TaskCallDeps) => {
  const { commands, queries, recall } = tasks
  return {
    create: (caller: Caller, given: Given, retry: Retry, endsAtWait: boolean) =>
      create(tasks, caller, given, retry, endsAtWait),

    async move(verb: 'cancel' | 'pause' | 'resume', { principal, requestId }: Caller, taskId: string) {
      return recall.textOf(await commands[verb](principal, taskId, requestId))
    },

    /** Gives the task results of client tools. `digest`: that of the request, by which its retry is recognized. */
    async answer(
      { principal, requestId }: Caller,
      taskId: string,
      body: AnswerCallsBody,
      digest?: string,
    ): Promise<Text> {
      const answers = callAnswersOf(tasks.newItemId, body)
      return recall.textOf(await commands.input(principal, taskId, requestId, answers, digest))
    },

    /** Approves or refuses a call that waits for an approval. */
    async decide(
      { principal, requestId }: Caller,
      taskId: string,
      { call_id, decision, arguments: given, reason }: DecideApprovalBody,
    ): Promise<Text> {
      if (decision === 'refuse' && given) {
        const msg = 'Only an approved call has arguments: leave them out, or approve the call'
        throw new Invalid([{ loc: ['body', 'arguments'], msg, type: 'value_error' }])
      }
      const decided = {
        decision,
        ...(given ? { arguments: JSON.stringify(given) } : {}),
        ...(reason ? { reason } : {}),
      }
      return recall.textOf(await commands.decideApproval(principal, taskId, requestId, call_id, decided))
    },

    /** Makes a new task whose past is a copy of the past of this task. */
    async fork(
      { principal, requestId }: Caller,
      taskId: string,
      asked: ForkTaskBody,
      retry: Retry,
    ): Promise<{ text: Text; replayed: boolean }> {
      const body = withFullNames(asked)
      if (body.user_message_content != null && isEmpty(body.user_message_content)) {
        throw tooShort(['body', 'user_message_content'], 'Content')
      }
      const forked = await commands.fork(principal, taskId, requestId, body, retry)
      if ('made' in forked) return { text: recall.textOf(forked.made), replayed: false }
      return { text: recall.ofRow(forked.replay).text, replayed: true }
    },

    /** Sends a message to the agent while it works, or an event to its statechart. */
    async message(
      { principal, requestId }: Caller,
      taskId: string,
      body: PostMessageBody,
      retry: Retry,
    ): Promise<{ text: Text; replayed: boolean }> {
      const said = await commands.message(principal, taskId, requestId, messageOf(body), retry)
      if ('made' in said) return { text: recall.textOf(said.made), replayed: false }
      const row = queries.visible(principal, said.replay.id)
      return { text: recall.ofRow(row).text, replayed: true }
    },
  }
}
export type TaskCalls = ReturnType<typeof createTaskCalls>
