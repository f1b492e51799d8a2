// Finds the results of client tools in a request that creates a task, whether they were accepted, and the number of the
// last frame that shows this.
import type { CallAnswer } from '../contract/commands/commands.ts'
import { type RecordedTaskEvent, taskEvents } from '../contract/decoders/task.ts'
import type { Ids } from '../contract/ports.ts'
import type { Log } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { CreateTaskBody, MessageContent } from '../contract/wire.ts'
import { digestOfCreate } from './request-secrets.ts'

/** The tool results in the history of a create, each with a new item id. */
export const answersIn = ({ history_messages }: CreateTaskBody, ids: Ids): CallAnswer[] =>
  (history_messages ?? []).flatMap(item =>
    item.type !== 'tool_result'
      ? []
      : [
          {
            callId: item.call_id,
            itemId: ids.next('tr_'),
            ...(item.status === 'incomplete' ? { failed: true as const } : {}),
            content: item.message_content,
            blocks: item.block_list,
          },
        ],
  )

export const isEmpty = (content: MessageContent): boolean => content.length === 0

/** The results that an event accepts: the ids of their calls. */
const acceptedBy = ({ type, data }: RecordedTaskEvent): string[] => {
  if (type === 'InputAccepted') return data.item.type === 'tool_result' ? [data.item.call_id] : []
  if (type === 'EffectPromised') return (data.asks?.answers ?? []).map(({ call_id }) => call_id)
  // The task of a turn or of a subagent accepts the results for which its caller waits. The caller then works again.
  return type === 'InputRequired' && data.turn !== undefined ? data.calls : []
}

/**
 * The number of the last frame of a task before it goes on with these answers: the frame that shows their acceptance or,
 * when another task asked for them, the frame with which the task began to wait for them.
 */
export const lastFrameOfAnswers = async (log: Log, stream: string, callIds: string[]): Promise<number> => {
  let last = -1
  for await (const page of log.readStream(stream)) {
    for (const event of page.map(taskEvents.read)) {
      const { seq = 0, frames = 0 } = event.header
      if (acceptedBy(event).some(id => callIds.includes(id))) last = seq + frames - 1
    }
  }
  return last
}

/** Whether a request with this digest has brought input to a task, or to a task for which that one waited. */
export const hasBrought = async (
  read: Log['readStream'],
  stream: string,
  digest: string,
): Promise<boolean> => {
  const askers = new Set<string>()
  for await (const page of read(stream)) {
    for (const { type, data } of page.map(taskEvents.read)) {
      if (type === 'InputAccepted' && data.digest === digest) return true
      if (type === 'EffectPromised' && data.asks?.digest === digest) return true
      if (type === 'InputRequired' && data.turn !== undefined) askers.add(taskStream(data.turn.task_id))
    }
  }
  for (const asker of askers) if (await hasBrought(read, asker, digest)) return true
  return false
}

/** Whether the task that this body names has taken the results of an equal body before. */
export const wereTaken = (
  read: Log['readStream'],
  body: CreateTaskBody & { task_id: string },
): Promise<boolean> => hasBrought(read, taskStream(body.task_id), digestOfCreate(body))
