// Makes a task: its place in the queue, its secrets and its first event. If the request has results for which another
// task of the session waits, that task ends.
import type { TaskCommand } from '../../contract/commands/commands.ts'
import { Refusal } from '../../contract/refusals.ts'
import { mayBeStored } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import { answersIn } from '../call-answers.ts'
import { waitingFor } from './answered-calls.ts'
import type { CreateRequest } from './create-request.ts'
import { always, by, type CommandDeps } from './deps.ts'
import { prepareTask } from './prepared-task.ts'

/** False: another request answered the calls first, so the results here are plain history. Throws other errors. */
const isOvertaken = (error: unknown): false => {
  const gone =
    error instanceof Refusal && (error.reason === 'WrongState' || error.reason === 'AlreadyAnswered')
  if (!gone) throw error
  return false
}

export const createNewTask = (deps: CommandDeps) => {
  const { runtime, queries, idempotency, ids } = deps
  return async (wanted: CreateRequest, userId: string): Promise<{ taskId: string; view: DecidedTask }> => {
    const { principal, body, envelopeId } = wanted
    const { session_id: sessionId } = body
    const answers = !sessionId || body.task_id ? [] : answersIn(body, ids)
    const waiting =
      !sessionId || answers.length === 0 ? undefined : waitingFor(queries, userId, sessionId, answers)
    // A task that waits for these answers ends when the new one begins, so the number of tasks stays the same.
    const prepared = prepareTask(deps, wanted, userId, waiting)
    const { stream, created, start, seen } = prepared
    const { taskId } = prepared.place
    let isStored = false
    try {
      const asked = by(principal, envelopeId)
      const first = { created, start, seen, ...asked }
      if (waiting !== undefined) {
        const command: TaskCommand = { type: 'ContinueElsewhere', ...waiting, ...first }
        isStored = await runtime.ask(taskStream(waiting.id), command).then(always, isOvertaken)
        if (isStored) return { taskId, view: await runtime.until(stream, always) }
        prepared.reserve()
      }
      return { taskId, view: await runtime.ask(stream, { type: 'CreateTask', ...first }, !body.task_id) }
    } catch (error) {
      if (!isStored) prepared.abandon(error)
      if (mayBeStored(error)) idempotency.notDelivered(taskId)
      throw error
    } finally {
      prepared.release()
    }
  }
}
