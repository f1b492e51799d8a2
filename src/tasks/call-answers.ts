// Finds the results of client tools in a request that creates a task, and the number of the last frame that shows that
// they were accepted.
import type { CallAnswer } from '../contract/commands.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { Ids } from '../contract/ports.ts'
import type { Log } from '../contract/stored.ts'
import type { CreateTaskBody, MessageContent } from '../contract/wire.ts'

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

/** The number of the last frame that shows the acceptance of these answers. */
export const lastFrameOfAnswers = async (log: Log, stream: string, callIds: string[]): Promise<number> => {
  let last = -1
  for await (const page of log.readStream(stream)) {
    for (const { type, header, data } of page.map(taskEvents.read)) {
      if (type !== 'InputAccepted') continue
      const { item } = data
      if (item.type !== 'tool_result' || !callIds.includes(item.call_id)) continue
      last = (header.seq ?? 0) + (header.frames ?? 0) - 1
    }
  }
  return last
}
