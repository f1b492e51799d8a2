// Commands of the server itself: a queued task starts, and a task whose time has run out expires.
import type { Place } from '../../../actors/task/places/waiting-line.ts'
import type { StartContext, TaskCommand } from '../../contract/commands/commands.ts'
import { isBehind } from '../../contract/refusals.ts'
import { StorageFailure } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import { yieldToLoop } from '../../platform/loop.ts'
import { contextOf } from './context.ts'
import type { CommandDeps } from './deps.ts'

const starter = ({ runtime, scheduler, queries, log }: CommandDeps) => {
  /** Tasks whose turn came while the read models could not give the context. They keep their places. */
  const waiting = new Set<string>()

  const startLater = async (place: Place): Promise<void> => {
    waiting.add(place.taskId)
    await queries.caughtUp()
    await yieldToLoop()
    if (waiting.delete(place.taskId) && scheduler.isRunning(place.taskId)) start(place)
  }
  const seenBy = (place: Place): StartContext | undefined => {
    try {
      return contextOf(queries, place, queries.inputIds(place.sessionId, place.taskId), false)
    } catch (error) {
      if (isBehind(error)) return undefined
      throw error
    }
  }
  /**
   * Starts the next queued task; the scheduler calls it. No task starts while the log cannot be written. When the log
   * is back, recovery fills the queue again in the old order.
   */
  const start = (place: Place): void => {
    waiting.delete(place.taskId)
    if (log.isFailing()) return
    const seen = seenBy(place)
    if (seen === undefined) return void startLater(place)
    const stream = taskStream(place.taskId)
    const command: TaskCommand = { type: 'StartTask', seen, principal: 'system', causation: stream }
    runtime.ask(stream, command).then(
      view => {
        if (view.status !== 'working') scheduler.release(place.taskId)
      },
      error => {
        if (!(error instanceof StorageFailure)) scheduler.release(place.taskId)
      },
    )
  }
  return start
}

/** One task after the other says it: after a restart, thousands may have to. */
const awaiter = ({ runtime }: CommandDeps) => {
  let saying: Promise<unknown> = Promise.resolve()
  return ({ taskId }: Place, isAwaiting: boolean): void => {
    const stream = taskStream(taskId)
    const over = isAwaiting ? {} : { over: true as const }
    const command: TaskCommand = { type: 'AwaitWorker', ...over, principal: 'system', causation: stream }
    // When it cannot be said, the task shows what it showed before: nothing depends on it.
    saying = saying.then(() => runtime.ask(stream, command)).catch(() => {})
  }
}

export const scheduledCommands = (deps: CommandDeps) => ({
  start: starter(deps),
  /** Says of a queued task that no host has its agent, or that one has it now; the scheduler calls it. */
  awaits: awaiter(deps),

  /** Expires a task if its time has run out; `startedAt` is the server's start. */
  expire(taskId: string, startedAt: number): Promise<DecidedTask> {
    const stream = taskStream(taskId)
    return deps.runtime.ask(stream, { type: 'ExpireTask', startedAt, principal: 'system', causation: stream })
  },
})
