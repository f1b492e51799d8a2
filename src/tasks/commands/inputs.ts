// Commands that bring something to a task: results of client tools, messages, rewards.
import type { CallAnswer } from '../../contract/commands/commands.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import type { MachineEvent, MessageContent } from '../../contract/wire.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import type { Retry } from '../../once/once.ts'
import { digestOfBody } from '../../platform/digest.ts'
import type { TaskRow } from '../queries.ts'
import { type Answer as AnswerCommand, answerWherever } from './answer-turn.ts'
import { by, type CommandDeps, streamFor } from './deps.ts'

const digestOfMessage = (
  taskId: string,
  said: { content: MessageContent } | { event: MachineEvent },
): string => digestOfBody({ taskId, ...said })

export const inputCommands = ({ runtime, queries, idempotency, ids, questionProblems }: CommandDeps) => ({
  /**
   * Stores results of some or all pending calls. The task continues when no result is missing. `digest`: that of the
   * request, by which its retry is recognized.
   */
  async input(
    principal: Principal,
    taskId: string,
    requestId: string,
    answers: CallAnswer[],
    digest?: string,
  ): Promise<DecidedTask> {
    const keys = digest === undefined ? {} : { digest }
    const asked = by(principal, requestId)
    const command: AnswerCommand = { type: 'AnswerCalls', answers, whole: false, keys, ...asked }
    return answerWherever(runtime, streamFor(queries, principal, taskId), command, questionProblems)
  },

  /**
   * Stores a message for the agent of an unfinished task, or an event for its statechart. The agent sees it in its next step.
   */
  async message(
    principal: Principal,
    taskId: string,
    requestId: string,
    said: MessageContent | { event: MachineEvent },
    { key, isRetry }: Retry,
  ): Promise<{ made: DecidedTask } | { replay: TaskRow }> {
    const stream = streamFor(queries, principal, taskId)
    const message =
      typeof said === 'object' && 'event' in said
        ? { content: JSON.stringify(said.event), event: said.event }
        : { content: said }
    const digest = digestOfMessage(
      taskId,
      'event' in message ? { event: message.event } : { content: message.content },
    )
    const keys = key === undefined ? {} : { digest, idempotencyKey: key }
    const call = { principal, digest, key, taskId: undefined, isRetry: false }
    const itemId = ids.next('msg_')
    const asked = by(principal, requestId)
    return idempotency.once(call, () =>
      runtime.ask(stream, { type: 'PostMessage', itemId, ...message, isRetry, keys, ...asked }),
    )
  },

  /** Whether the task has taken this message under this key. Throws Conflict when the key was used for another one. */
  wasSaid(principal: Principal, taskId: string, content: MessageContent, key: string): Promise<boolean> {
    return idempotency.isKnown({ principal, digest: digestOfMessage(taskId, { content }), key })
  },

  /** Stores a reward for the task, which may have ended. */
  reward(
    principal: Principal,
    taskId: string,
    requestId: string,
    reward: { value: number; name?: string; data?: unknown },
  ): Promise<DecidedTask> {
    const stream = streamFor(queries, principal, taskId)
    return runtime.ask(stream, { type: 'GiveReward', reward, ...by(principal, requestId) })
  },
})
