// Prepares a task before its first event is stored: its ids, its secrets, its quota and its place among the tasks that
// work or wait.
import type { Place } from '../../../actors/task/places/waiting-line.ts'
import type { CallAnswer, StartContext } from '../../contract/commands/commands.ts'
import type { TaskEventData } from '../../contract/events/task-events.ts'
import { webhookRefPrefix } from '../../contract/events/webhook-events.ts'
import { mayBeStored } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import { contextOf } from './context.ts'
import type { CreateRequest } from './create-request.ts'
import type { CommandDeps } from './deps.ts'
import { taskCreated } from './task-created.ts'

/** A task of the session that waits, and the answers with which the new task continues it. */
type Waiting = { id: string; answers: CallAnswer[] }

export type PreparedTask = {
  place: Place
  stream: string
  created: TaskEventData<'TaskCreated'>
  /** True: the task starts in the append that creates it. False: it waits in line. */
  start: boolean
  seen: StartContext
  /** Counts the task in its user's quota. That is already done, unless the task continues a waiting task. */
  reserve(): void
  /** Call it when the task is stored or abandoned: the quota counts stored tasks on its own. */
  release(): void
  /** Call it with the error when the task could not be stored. If the log may have it, its secrets stay. */
  abandon(error: unknown): void
}

/** Throws a Refusal when the user has too many tasks. The caller must store the task in the same turn. */
export const prepareTask = (
  { scheduler, queries, secrets, quotas, ids }: CommandDeps,
  wanted: CreateRequest,
  userId: string,
  waiting?: Waiting,
): PreparedTask => {
  const { principal, request, body } = wanted
  const taskId = body.task_id ?? ids.next('task_')
  const isNewSession = !body.session_id
  const sessionId = body.session_id ?? ids.next('sess_')
  const place: Place = { taskId, userId, sessionId, agent: request.agent }
  const previous = waiting?.id ?? (isNewSession ? undefined : queries.lastInSession(userId, sessionId))
  const { webhook, ...ofTask } = request.secrets
  const secretRef = Object.keys(ofTask).length === 0 ? undefined : ids.next('sec_')
  const webhookRef = webhook === undefined ? undefined : ids.next(webhookRefPrefix)
  const answers = waiting?.answers ?? []
  const created = taskCreated(wanted, { place, secretRef, webhookRef, previous, answers }, ids)
  let release = () => {}
  const reserve = () => {
    release = quotas.reserveTask(taskId, userId, principal.userId !== undefined)
  }
  let leavePlace = () => {}
  const abandon = (error: unknown) => {
    leavePlace()
    if (mayBeStored(error)) return
    if (secretRef !== undefined) secrets.forget(secretRef)
    if (webhookRef !== undefined) secrets.forget(webhookRef)
  }
  if (waiting === undefined) reserve()
  try {
    if (secretRef !== undefined) secrets.put(secretRef, ofTask)
    if (webhookRef !== undefined) secrets.put(webhookRef, webhook as Record<string, unknown>)
    const stream = taskStream(taskId)
    wanted.onNew?.(stream)
    const start = scheduler.admit(place)
    leavePlace = () => scheduler.release(taskId)
    const isAlone = isNewSession || created.own_past === true
    const seen = start ? contextOf(queries, place, created.input_ids, isAlone) : { context: [] }
    return { place, stream, created, start, seen, reserve, release: () => release(), abandon }
  } catch (error) {
    abandon(undefined) // nothing was appended
    release()
    throw error
  }
}
