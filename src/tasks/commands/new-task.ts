// Makes a task: its place in the queue, its secrets, its first event, and the end of a task that waited for its results.
import type { Place } from '../../../actors/task/waiting-line.ts'
import type { TaskCommand } from '../../contract/commands.ts'
import { Refusal } from '../../contract/refusals.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import { answersIn } from '../call-answers.ts'
import { waitingFor } from './answered-calls.ts'
import { contextOf } from './context.ts'
import type { CreateRequest } from './create-request.ts'
import { always, by, type CommandDeps } from './deps.ts'
import { taskCreated } from './task-created.ts'

/** Another request answered the calls first, so the results of this one are plain history. */
const isOvertaken = (error: unknown): false => {
  const gone =
    error instanceof Refusal && (error.reason === 'WrongState' || error.reason === 'AlreadyAnswered')
  if (!gone) throw error
  return false
}

export const createNewTask = ({ runtime, scheduler, queries, secrets, quotas, ids }: CommandDeps) => {
  return async (wanted: CreateRequest, userId: string): Promise<{ taskId: string; view: DecidedTask }> => {
    const { principal, request, body, envelopeId } = wanted
    const taskId = body.task_id ?? ids.next('task_')
    const sessionId = body.session_id ?? ids.next('sess_')
    const isNewSession = !body.session_id
    const place: Place = { taskId, userId, sessionId }
    const answers = isNewSession || body.task_id ? [] : answersIn(body, ids)
    const waiting = answers.length === 0 ? undefined : waitingFor(queries, userId, sessionId, answers)
    const previous = waiting?.id ?? (isNewSession ? undefined : queries.lastInSession(userId, sessionId))
    const secretRef = Object.keys(request.secrets).length === 0 ? undefined : ids.next('sec_')
    const known = { place, secretRef, previous, answers: waiting?.answers ?? [] }
    const created = taskCreated(wanted, known, ids)
    const reserve = () => quotas.reserveTask(taskId, userId, principal.userId !== undefined)
    // A task that waits for these answers ends when the new one begins, so the number of tasks stays the same.
    let release = waiting === undefined ? reserve() : () => {}
    if (secretRef !== undefined) secrets.put(secretRef, request.secrets)
    const stream = taskStream(taskId)
    wanted.onNew?.(stream)
    const start = scheduler.admit(place)
    try {
      const isAlone = isNewSession || created.own_past === true
      const context = start ? contextOf(queries, place, created.input_ids, isAlone) : []
      const asked = by(principal, envelopeId)
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
}
