// Gives the server what a body of a door asks for: a new task, or answers for a task that waits.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GivenPush } from '../contract/events/webhook-events.ts'
import { type CreateTaskBody as Create, CreateTaskBody } from '../contract/wire.ts'
import type { AgentDoor, Serving, TaskDoor } from '../http/doors.ts'
import { readBy } from '../http/request/request.ts'
import { noteReplay, retryOf } from '../http/request/request-id.ts'
import { bodyValidator } from '../http/request/validate.ts'
import { createTaskCalls } from '../http/routes/task-calls.ts'
import { watchDelivery } from '../http/routes/task-create.ts'
import { firstTurn, type TurnId } from './ids.ts'

/** What each door is made of. */
export type DoorDeps = { tasks: TaskDoor; agents: Pick<AgentDoor, 'list' | 'fallback'>; serving: Serving }

/**
 * A create, and the turn that its answer shows if it answers a waiting task. `cancels`: the task ends when the caller
 * disconnects before its answer. `push`: the webhook of a new task in the form of the client's protocol.
 */
export type Asked = { create: Create; turn: number; cancels?: boolean; push?: GivenPush | undefined }

const checked = bodyValidator(CreateTaskBody)

/** Names, in headers of the answer, the task behind it and the session of that task. */
export const nameTask = (
  reply: FastifyReply,
  { task_id, session_id }: { task_id: string; session_id: string },
): void => void reply.headers({ 'x-task-id': task_id, 'x-session-id': session_id })

/** Makes or answers the task. Returns the turn that the answer shows, and the request that made the task. */
export const ask = async (
  { tasks, serving }: DoorDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { create, turn, cancels = false, push }: Asked,
) => {
  const { principal, envelopeId: requestId } = request
  const body = checked(create)
  const made = await createTaskCalls(tasks).create(
    { principal, requestId },
    { body, push },
    retryOf(request),
    false,
  )
  const { taskId } = made
  if (made.replayed) noteReplay(reply)
  if (made.replayed || !made.made) readBy(serving, request)(taskId)
  watchDelivery(tasks, serving, reply, { taskId, made: made.made, cancels })
  const created = await tasks.createdOf(tasks.streamOf(taskId))
  nameTask(reply, created)
  const id: TurnId = { taskId, turn: made.made ? firstTurn : turn }
  return { id, created }
}
