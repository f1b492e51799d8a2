// A task as it is now.
import type { Task } from '../../contract/wire.ts'
import { answersOf } from '../../http/request/request.ts'
import { isLong, type Text } from '../../platform/pieces.ts'
import type { Exchange } from './exchange.ts'

const wholeOf = async (text: Text): Promise<string> => {
  if (!isLong(text)) return text
  const pieces: string[] = []
  for await (const piece of text) pieces.push(String(piece))
  return pieces.join('')
}

/** Throws TaskNotFound if there is no such task, or if the caller may not see it. `endedAt`: in Unix milliseconds. */
export const taskNow = async (
  { deps: { tasks, serving }, request, reply }: Pick<Exchange, 'deps' | 'request' | 'reply'>,
  taskId: string,
): Promise<{ task: Task; endedAt: number | null }> => {
  const row = tasks.queries.visible(request.principal, taskId)
  const { pause } = answersOf(serving, request, reply)
  const task = JSON.parse(await wholeOf(tasks.recall.ofRow(row, pause).text)) as Task
  return { task, endedAt: row.ended_at }
}
