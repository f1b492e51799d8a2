// A task as it is now, with what it asks its client.
import { isTerminal, type PendingCallItem, type Task } from '../../contract/wire.ts'
import { answersOf } from '../../http/request/request.ts'
import { isLong, type Text } from '../../platform/pieces.ts'
import { standingOf } from '../follow.ts'
import { callsForClient } from '../turns.ts'
import type { Exchange } from './exchange.ts'
import { type Questions, questionsOf } from './questions.ts'

const wholeOf = async (text: Text): Promise<string> => {
  if (!isLong(text)) return text
  const pieces: string[] = []
  for await (const piece of text) pieces.push(String(piece))
  return pieces.join('')
}

/** `endedAt`: in Unix milliseconds. */
export type TaskNow = { task: Task; endedAt: number | null; questions: Questions }

type Asking = Pick<Exchange, 'deps' | 'request' | 'reply'>
type Row = ReturnType<Exchange['deps']['tasks']['queries']['visible']>

/** The calls without a result that the client was asked for. Code goes on at the first of several answers. */
const openCalls = async ({ deps, request, reply }: Asking, task: Task): Promise<PendingCallItem[]> => {
  if (isTerminal(task.status)) return []
  if (task.status === 'input-required') return callsForClient(task)
  // Only code works on while its client owes it an answer.
  if (task.status === 'working' && task.metadata?.agent_version === undefined) return []
  const ended = new Set(task.output.flatMap(item => (item.type === 'tool_result' ? [item.call_id] : [])))
  const open = task.output.flatMap(item =>
    item.type === 'tool_call' && !ended.has(item.call_id) ? [item.call_id] : [],
  )
  if (open.length === 0) return []
  const { pause } = answersOf(deps.serving, request, reply)
  const { asked } = await standingOf(deps.tasks, task.id, pause)
  return open.flatMap(callId => asked.get(callId) ?? [])
}

/** A long task is read as a long answer is, so that only a few of them are in memory at a time. */
const readTask = async ({ deps, request, reply }: Asking, row: Row): Promise<Task> => {
  const own = answersOf(deps.serving, request, reply)
  const { text, size, isFolded } = deps.tasks.recall.ofRow(row, own.pause)
  if (!isLong(text)) return JSON.parse(text) as Task
  const place = own.place()
  await place.acquire()
  try {
    return JSON.parse(await wholeOf(isFolded ? text : own.stored(text, size))) as Task
  } finally {
    place.release()
  }
}

/** Throws TaskNotFound if there is no such task, or if the caller may not see it. */
export const taskNow = async (asking: Asking, taskId: string): Promise<TaskNow> => {
  const { deps, request } = asking
  const row = deps.tasks.queries.visible(request.principal, taskId)
  const task = await readTask(asking, row)
  return { task, endedAt: row.ended_at, questions: questionsOf(task, await openCalls(asking, task)) }
}
