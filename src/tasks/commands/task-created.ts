// Makes the first event of a task from the request that creates the task.

import type { Place } from '../../../actors/task/places/waiting-line.ts'
import type { CallAnswer } from '../../contract/commands/commands.ts'
import type { TaskEventData } from '../../contract/events/task-events.ts'
import type { Ids } from '../../contract/ports.ts'
import type { CreateTaskBody, OutputItem } from '../../contract/wire.ts'
import type { CreateRequest } from './create-request.ts'

type Given = {
  place: Place
  secretRef: string | undefined
  /** The reference to the secret of the task's webhook, which is needed after the task's other secrets are gone. */
  webhookRef: string | undefined
  /** The task before this one in its session. */
  previous: string | undefined
  /** Answers that end the wait of the previous task. */
  answers: CallAnswer[]
}

export const taskCreated = (
  { request, body, envelopeId, idempotencyKey }: CreateRequest,
  { place, secretRef, webhookRef, previous, answers }: Given,
  ids: Ids,
): TaskEventData<'TaskCreated'> => ({
  task_id: place.taskId,
  session_id: place.sessionId,
  user_id: place.userId,
  agent: request.agent,
  agent_id: ids.next('agent_'),
  workdir: request.workdir(place.sessionId),
  request_id: envelopeId,
  request: request.shown,
  input_ids: inputIds(body, ids),
  digest: request.digest,
  ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
  ...(secretRef === undefined ? {} : { secret_ref: secretRef }),
  ...(webhookRef === undefined ? {} : { webhook_secret_ref: webhookRef }),
  ...(request.ignoredFields.length === 0 ? {} : { ignored_fields: request.ignoredFields }),
  ...(request.push === undefined ? {} : { push: request.push }),
  ...(previous === undefined ? {} : { previous_task_id: previous }),
  ...(bringsPast(body, answers) ? { own_past: true } : {}),
})

/** Whether a request's history holds more than these answers. Then the task's context has this history as its past. */
const bringsPast = ({ history_messages }: CreateTaskBody, answers: CallAnswer[]): boolean => {
  const answered = new Set(answers.map(({ callId }) => callId))
  return (history_messages ?? []).some(item => item.type !== 'tool_result' || !answered.has(item.call_id))
}

/** The ids of the inputs. An id from the caller is kept; every other input gets a new one. */
const inputIds = (body: CreateTaskBody, ids: Ids): string[] => {
  const given: OutputItem[] = [...(body.history_messages ?? []), ...(body.thought_messages ?? [])]
  const prefixes = { message: 'msg_', reasoning: 'rs_', tool_call: 'tc_', tool_result: 'tr_' }
  return [...given.map(item => item.id ?? ids.next(prefixes[item.type])), ids.next('msg_')]
}
