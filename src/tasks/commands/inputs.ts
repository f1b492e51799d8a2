// Commands that bring something to a task: results of client tools, messages, rewards.
import type { CallAnswer, TaskCommand } from '../../contract/commands.ts'
import type { Principal } from '../../contract/token-events.ts'
import type { MessageContent } from '../../contract/wire.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import { digestOfBody } from '../../platform/digest.ts'
import type { TaskRow } from '../queries.ts'
import { answerWherever } from './answer-turn.ts'
import { by, type CommandDeps, streamFor } from './deps.ts'

export const inputCommands = ({ runtime, queries, idempotency, ids }: CommandDeps) => ({
  /** Stores results of some or all pending calls. The task continues when no result is missing. */
  async input(
    principal: Principal,
    taskId: string,
    requestId: string,
    answers: CallAnswer[],
  ): Promise<DecidedTask> {
    const asked = by(principal, requestId)
    const command: TaskCommand = { type: 'AnswerCalls', answers, whole: false, keys: {}, ...asked }
    return answerWherever(runtime, streamFor(queries, principal, taskId), command)
  },

  /** Stores a message for the agent of an unfinished task. The agent sees it in its next step. */
  async message(
    principal: Principal,
    taskId: string,
    requestId: string,
    content: MessageContent,
    { key, isRetry }: { key: string | undefined; isRetry: boolean },
  ): Promise<{ made: DecidedTask } | { replay: TaskRow }> {
    const stream = streamFor(queries, principal, taskId)
    const digest = digestOfBody({ taskId, content })
    const keys = key === undefined ? {} : { digest, idempotencyKey: key }
    const call = { principal, digest, key, taskId: undefined, isRetry: false }
    const itemId = ids.next('msg_')
    const asked = by(principal, requestId)
    return idempotency.once(call, () =>
      runtime.ask(stream, { type: 'PostMessage', itemId, content, isRetry, keys, ...asked }),
    )
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
