// Forks a task: makes a new task whose past is a copy of another task's past, up to a frame.

import type { Principal } from '../../contract/events/token-events.ts'
import { Refusal } from '../../contract/refusals.ts'
import { mayBeStored, RevisionConflict } from '../../contract/stored.ts'
import type { ForkTaskBody } from '../../contract/wire.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import type { Retry } from '../../once/once.ts'
import { cutAt } from '../fork/fork-point.ts'
import { digestOfFork, forkRequest } from '../fork/fork-request.ts'
import { type ForkWish, prepareFork } from '../fork/prepared-fork.ts'
import type { TaskRow } from '../queries.ts'
import type { CommandDeps } from './deps.ts'

const makeFork = async (deps: CommandDeps, taskId: string, wish: ForkWish): Promise<DecidedTask> => {
  const { principal, body } = wish
  const { read, requests } = deps.forking
  const cut = await cutAt(read, taskId, body.at)
  const { created } = cut.view
  if (created === undefined) throw new Refusal('TaskNotFound')
  const asked = await forkRequest(requests, principal, created, body.agent_config)
  const fork = await prepareFork(deps, cut, created, wish, asked)
  try {
    return await deps.runtime.ask(fork.stream, fork.command, !body.task_id)
  } catch (error) {
    await fork.abandon(error)
    if (mayBeStored(error)) deps.idempotency.notDelivered(fork.command.created.task_id)
    if (error instanceof RevisionConflict) throw new Refusal('Conflict', { task_id: body.task_id })
    throw error
  } finally {
    fork.release()
  }
}

type Forked = { made: DecidedTask } | { replay: TaskRow }

const makeOrFind =
  (deps: CommandDeps) =>
  async (
    principal: Principal,
    taskId: string,
    requestId: string,
    body: ForkTaskBody,
    { key, isRetry }: Retry,
  ): Promise<Forked> => {
    deps.queries.visible(principal, taskId)
    await deps.log.opened()
    const digest = digestOfFork(taskId, body)
    const call = { principal, digest, key, taskId: body.task_id ?? undefined, isRetry }
    const wish = { principal, requestId, idempotencyKey: key, body }
    return deps.idempotency.once(call, () => makeFork(deps, taskId, wish))
  }

type ForkCommands = {
  /** Makes the fork, or finds the one that an earlier, identical request made. */
  fork(...asked: Parameters<ReturnType<typeof makeOrFind>>): Promise<Forked>
  /**
   * Resolves when every fork that is under way now is stored or abandoned. A fork may have read the past of a task that
   * was deleted meanwhile.
   */
  forksSettled(): Promise<void>
}

export const forkCommands = (deps: CommandDeps): ForkCommands => {
  const ask = makeOrFind(deps)
  const underWay = new Set<Promise<Forked>>()
  return {
    fork(...asked) {
      const fork = ask(...asked)
      underWay.add(fork)
      const end = () => void underWay.delete(fork)
      fork.then(end, end)
      return fork
    },
    forksSettled: async () => void (await Promise.allSettled(underWay)),
  }
}
