// The write door: names the stream of a command, asks its actor, and answers when the log and the read models
// hold what happened.
import type { Runtime } from '../../actors/runtime/runtime.ts'
import { knowsCall } from '../../actors/task/inbox.ts'
import type { Place, Scheduler } from '../../actors/task/scheduler.ts'
import { canonical } from '../contract/canonical.ts'
import type { Asked, CallAnswer, TaskCommand } from '../contract/commands.ts'
import type { Ids } from '../contract/ports.ts'
import { otherUser, Refusal } from '../contract/refusals.ts'
import { StorageFailure } from '../contract/stored.ts'
import type { TaskEventData } from '../contract/task-events.ts'
import { taskStream } from '../contract/task-stream.ts'
import { ownerOf, type Principal } from '../contract/token-events.ts'
import { type CreateTaskBody, isTerminal, type MessageContent, type OutputItem } from '../contract/wire.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { ContextReference } from '../history/context.ts'
import type { TaskView } from '../history/task-view.ts'
import { digestOfBody } from '../platform/digest.ts'
import type { Secrets } from '../platform/secrets.ts'
import { answersIn, isEmpty } from './answers.ts'
import type { Idempotency } from './idempotency.ts'
import type { Queries, TaskRow } from './queries.ts'
import type { TaskRequest } from './request.ts'

export type CreateWish = {
  principal: Principal
  request: TaskRequest
  body: CreateTaskBody
  /** The envelope id of the answer, kept with the task. */
  envelopeId: string
  idempotencyKey: string | undefined
  isRetry: boolean
  /** Called with the new task's stream just before it is created, so that nothing of it is missed. */
  onNew?: (stream: string) => void
}
/** `answered`: no new task; it brought answers to calls of one that waits, or that has them already. */
export type Created =
  | { taskId: string; view: TaskView; answered?: { callIds: string[]; again: boolean } }
  | { replay: TaskRow }

/** A task at rest: ended, or waiting for somebody. */
export const isAtRest = ({ status }: TaskView): boolean =>
  isTerminal(status) || status === 'paused' || status === 'input-required'

type Parts = {
  runtime: Runtime<TaskView, TaskCommand>
  scheduler: Scheduler
  queries: Queries
  idempotency: Idempotency
  secrets: Secrets
  quotas: Pick<Quotas, 'reserveTask'>
  ids: Ids
  /** Opens the log again after a failure, so that the read models know what it holds; rejects when it cannot. */
  ready: () => Promise<void>
  isLogAway: () => boolean
}

export const createCommands = ({
  runtime,
  scheduler,
  queries,
  idempotency,
  secrets,
  quotas,
  ids,
  ready,
  isLogAway,
}: Parts) => {
  /** A task sees the completed ones of its session, then its own inputs; `isAlone`: its own inputs only. */
  const contextOf = (place: Place, inputIds: string[], isAlone: boolean): ContextReference[] => [
    ...(isAlone ? [] : queries.sessionContext(place.userId, place.sessionId)),
    { stream: taskStream(place.taskId), items: inputIds },
  ]

  const userOf = (principal: Principal, body: CreateTaskBody): string => {
    const named = body.user_id ?? undefined
    if (principal.userId !== undefined && named !== undefined && named !== principal.userId) {
      throw otherUser(principal.userId, named)
    }
    return ownerOf(principal, named)
  }

  /** The newest task of this session that waits for one of these results, and those that it waits for. */
  const waitingFor = (userId: string, sessionId: string, answers: CallAnswer[]) => {
    for (const { id, pending } of queries.waitingInSession(userId, sessionId)) {
      const given = answers.filter(({ callId }) => pending.includes(callId))
      mustAgree(given)
      if (given.length > 0) return { id, answers: given }
    }
    return undefined
  }

  const makeTask = async (wish: CreateWish, userId: string): Promise<{ taskId: string; view: TaskView }> => {
    const { principal, request, body, envelopeId, idempotencyKey } = wish
    const taskId = body.task_id ?? ids.next('task_')
    const sessionId = body.session_id ?? ids.next('sess_')
    const isNewSession = !body.session_id
    const place: Place = { taskId, userId, sessionId }
    const answers = isNewSession || body.task_id ? [] : answersIn(body, ids)
    const waiting = answers.length === 0 ? undefined : waitingFor(userId, sessionId, answers)
    const previous = waiting?.id ?? (isNewSession ? undefined : queries.lastInSession(userId, sessionId))
    const secretRef = Object.keys(request.secrets).length === 0 ? undefined : ids.next('sec_')
    const created: TaskEventData<'TaskCreated'> = {
      task_id: taskId,
      session_id: sessionId,
      user_id: userId,
      agent: request.agent,
      agent_id: ids.next('agent_'),
      workdir: request.workdir(sessionId),
      request_id: envelopeId,
      request: request.shown,
      input_ids: inputIds(body, ids),
      digest: request.digest,
      shows_agent: true,
      ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
      ...(secretRef === undefined ? {} : { secret_ref: secretRef }),
      ...(request.ignoredFields.length === 0 ? {} : { ignored_fields: request.ignoredFields }),
      ...(previous === undefined ? {} : { previous_task_id: previous }),
      form: 2,
      ...(bringsPast(body, waiting?.answers ?? []) ? { own_past: true } : {}),
    }
    const reserve = () => quotas.reserveTask(taskId, userId, principal.userId !== undefined)
    // Where a task waits for the answers that this one brings, it ends as this one begins: there are not more.
    let release = waiting === undefined ? reserve() : () => {}
    if (secretRef !== undefined) secrets.put(secretRef, request.secrets)
    const stream = taskStream(taskId)
    wish.onNew?.(stream)
    const start = scheduler.admit(place)
    try {
      const isAlone = isNewSession || created.own_past === true
      const context = start ? contextOf(place, created.input_ids, isAlone) : []
      const asked = { principal: principal.id, causation: envelopeId }
      if (waiting !== undefined) {
        const command: TaskCommand = {
          type: 'ContinueElsewhere',
          ...waiting,
          created,
          start,
          context,
          ...asked,
        }
        const continued = await runtime.ask(taskStream(waiting.id), command).then(always, isOvertaken)
        if (continued) return { taskId, view: await runtime.until(stream, always) }
        release = reserve()
      }
      const command: TaskCommand = { type: 'CreateTask', created, start, context, ...asked }
      return { taskId, view: await runtime.ask(stream, command, !body.task_id) }
    } catch (error) {
      scheduler.leave(taskId)
      if (secretRef !== undefined) secrets.forget(secretRef)
      throw error
    } finally {
      release()
    }
  }

  /** A create that names a task and brings results of its calls is no create: that task goes on with them. */
  const answer = async (wish: CreateWish): Promise<Created | undefined> => {
    const { principal, body, envelopeId, request, idempotencyKey } = wish
    const answers = answersIn(body, ids)
    if (!body.task_id || answers.length === 0) return undefined
    const row = queries.rowById(body.task_id)
    if (row === undefined || !queries.isVisible(principal, row)) return undefined
    const stream = taskStream(row.id)
    const before = await runtime.until(stream, always)
    const known = answersKnown(before, answers)
    if (known.length === 0) return undefined
    mustBeOfSession(row, body.session_id)
    const again = !known.some(({ callId }) => isPendingCall(before, callId))
    const content = body.user_message_content
    const view = await runtime.ask(stream, {
      type: 'AnswerCalls',
      answers: known,
      whole: true,
      ...(isEmpty(content) ? {} : { message: { itemId: ids.next('msg_'), content } }),
      keys: { digest: request.digest, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) },
      ...by(principal, envelopeId),
    })
    return { taskId: row.id, view, answered: { callIds: known.map(({ callId }) => callId), again } }
  }

  /** The stream of a task that this principal may touch. */
  const streamFor = (principal: Principal, taskId: string): string => {
    queries.visible(principal, taskId)
    return taskStream(taskId)
  }
  const by = (principal: Principal, requestId: string): Asked => ({
    principal: principal.id,
    causation: requestId,
  })

  const cancelStream = async (stream: string, asked: Asked, reason?: string): Promise<TaskView> => {
    await runtime.ask(stream, { type: 'CancelTask', ...asked, ...(reason === undefined ? {} : { reason }) })
    return runtime.until(stream, view => isTerminal(view.status))
  }

  return {
    /** Creates a task, or finds the one that an earlier call of the same request made. */
    async create(wish: CreateWish): Promise<Created> {
      const { principal, request, body } = wish
      const userId = userOf(principal, body)
      if (isLogAway()) await ready()
      const answered = await answer(wish)
      if (answered !== undefined) return answered
      const call = {
        principal,
        digest: request.digest,
        key: wish.idempotencyKey,
        taskId: body.task_id ?? undefined,
        isRetry: wish.isRetry,
      }
      const once = await idempotency.once(call, () => makeTask(wish, userId))
      return 'made' in once ? once.made : once
    },

    /** The task once it has ended or waits; whoever asked may long be gone. */
    atRest: (taskId: string): Promise<TaskView> => runtime.until(taskStream(taskId), isAtRest),

    /** Answers when the task is canceled; a second cancel joins the first. */
    async cancel(
      principal: Principal,
      taskId: string,
      requestId: string,
      reason?: string,
    ): Promise<TaskView> {
      return cancelStream(streamFor(principal, taskId), by(principal, requestId), reason)
    },

    async pause(principal: Principal, taskId: string, requestId: string): Promise<TaskView> {
      if (isLogAway()) await ready()
      return runtime.ask(streamFor(principal, taskId), { type: 'PauseTask', ...by(principal, requestId) })
    },

    async resume(principal: Principal, taskId: string, requestId: string): Promise<TaskView> {
      if (isLogAway()) await ready()
      return runtime.ask(streamFor(principal, taskId), { type: 'ResumeTask', ...by(principal, requestId) })
    },

    /** Results of client tools, some or all; the task goes on by itself when none is missing. */
    async input(
      principal: Principal,
      taskId: string,
      requestId: string,
      answers: CallAnswer[],
    ): Promise<TaskView> {
      const asked = by(principal, requestId)
      const command: TaskCommand = { type: 'AnswerCalls', answers, whole: false, keys: {}, ...asked }
      return runtime.ask(streamFor(principal, taskId), command)
    },

    /** Something said to the agent while it works: seen before its next step. */
    async message(
      principal: Principal,
      taskId: string,
      requestId: string,
      content: MessageContent,
      { key, isRetry }: { key: string | undefined; isRetry: boolean },
    ): Promise<{ made: TaskView } | { replay: TaskRow }> {
      const stream = streamFor(principal, taskId)
      const digest = digestOfBody({ taskId, content })
      const keys = key === undefined ? {} : { digest, idempotencyKey: key }
      const call = { principal, digest, key, taskId: undefined, isRetry: false }
      const itemId = ids.next('msg_')
      const asked = by(principal, requestId)
      return idempotency.once(call, () =>
        runtime.ask(stream, { type: 'PostMessage', itemId, content, isRetry, keys, ...asked }),
      )
    },

    /** What somebody thinks of the task, also after its end. */
    reward(
      principal: Principal,
      taskId: string,
      requestId: string,
      reward: { value: number; name?: string; data?: unknown },
    ): Promise<TaskView> {
      const stream = streamFor(principal, taskId)
      return runtime.ask(stream, { type: 'GiveReward', reward, ...by(principal, requestId) })
    },

    /** Cancels first when the task has not ended, then deletes; the answer is the task as it was last. */
    async remove(principal: Principal, taskId: string, requestId: string): Promise<TaskView> {
      if (isLogAway()) await ready()
      const { status } = queries.visible(principal, taskId)
      const stream = taskStream(taskId)
      const asked = by(principal, requestId)
      if (!isTerminal(status)) {
        await cancelStream(stream, asked).catch(error => {
          if (!(error instanceof Refusal && error.reason === 'NotCancelable')) throw error
        })
      }
      return runtime.ask(stream, { type: 'DeleteTask', ...asked })
    },

    /**
     * The next one in line may start. Called by the scheduler. While the log is away nobody starts: when it is
     * back, everybody's place is filled in anew, in the old order.
     */
    start(place: Place): void {
      if (isLogAway()) return
      const stream = taskStream(place.taskId)
      const context = contextOf(place, queries.inputIds(place.taskId), false)
      const command: TaskCommand = { type: 'StartTask', context, principal: 'system', causation: stream }
      runtime.ask(stream, command).then(
        view => {
          if (view.status !== 'working') scheduler.leave(place.taskId)
        },
        error => {
          if (!(error instanceof StorageFailure)) scheduler.leave(place.taskId)
        },
      )
    },

    /** Expires a task if its time has run out; `startedAt` is the server's start. */
    expire(taskId: string, startedAt: number): Promise<TaskView> {
      const stream = taskStream(taskId)
      return runtime.ask(stream, { type: 'ExpireTask', startedAt, principal: 'system', causation: stream })
    },
  }
}
export type Commands = ReturnType<typeof createCommands>

const always = (): true => true

/** Somebody else answered the calls first: what was brought is plain history now. */
const isOvertaken = (error: unknown): false => {
  const gone =
    error instanceof Refusal && (error.reason === 'WrongState' || error.reason === 'AlreadyAnswered')
  if (!gone) throw error
  return false
}

/** A request that says two things of one call says nothing. */
const mustAgree = (answers: CallAnswer[]): void => {
  for (const { callId, failed, content, blocks } of answers) {
    const first = answers.find(other => other.callId === callId)
    const same =
      canonical([first?.failed, first?.content, first?.blocks]) === canonical([failed, content, blocks])
    if (!same) throw new Refusal('AlreadyAnswered', { call_id: callId })
  }
}

/** A task is answered under its own session, or under none. */
const mustBeOfSession = ({ id, session_id: own }: TaskRow, given: string | null | undefined): void => {
  if (!given || given === own) return
  const why = `the task ${id} belongs to the session ${JSON.stringify(own)}, not to ${JSON.stringify(given)}`
  throw new Refusal('Conflict', { task_id: id, session_id: own, given_session_id: given }, why)
}

const isPendingCall = (view: TaskView, callId: string): boolean =>
  view.pendingCalls.some(call => call.call_id === callId)

/** Of results that name calls of a task: those for pending ones, or, if none is, those given before. */
const answersKnown = (view: TaskView, answers: CallAnswer[]): CallAnswer[] => {
  const known = answers.filter(({ callId }) => knowsCall(view, callId))
  const pending = known.filter(({ callId }) => isPendingCall(view, callId))
  return pending.length > 0 ? pending : known
}

/** Whether a request's history holds anything besides these answers: then it is the whole past of its task. */
const bringsPast = ({ history_messages }: CreateTaskBody, answers: CallAnswer[]): boolean => {
  const answered = new Set(answers.map(({ callId }) => callId))
  return (history_messages ?? []).some(item => item.type !== 'tool_result' || !answered.has(item.call_id))
}

/** Each input has an id from the moment it is accepted; one that the caller gave is kept. */
const inputIds = (body: CreateTaskBody, ids: Ids): string[] => {
  const given: OutputItem[] = [...(body.history_messages ?? []), ...(body.thought_messages ?? [])]
  const prefixes = { message: 'msg_', reasoning: 'rs_', tool_call: 'tc_', tool_result: 'tr_' }
  return [...given.map(item => item.id ?? ids.next(prefixes[item.type])), ids.next('msg_')]
}
