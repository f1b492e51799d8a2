// The tasks of a session, each with what its user said. The task object holds what the agent said; the message of the user
// is in the first event of the task.
import type { MessageContent, Task } from '../../src/contract/wire.ts'
import { queryOf } from '../api/client.ts'
import { api } from '../api/session.ts'

export type Turn = { task: Task; question: MessageContent }
export type Turns = { turns: Turn[]; more: boolean }

/** How many questions are read at a time. */
const together = 4

/** Reads the newest tasks of the session, oldest first. A question never changes, so it is read once. */
export const createSessionReader = (sessionId: string, user: string | undefined) => {
  const questions = new Map<string, MessageContent>()

  const readQuestion = async (id: string, signal: AbortSignal): Promise<void> => {
    const path = `/audit/events${queryOf({ stream: `task-${id}`, limit: 1 })}`
    type First = { events: { data: { request?: { user_message_content?: MessageContent } } }[] }
    const { events } = await api.send<First>('GET', path, undefined, signal)
    questions.set(id, events[0]?.data.request?.user_message_content ?? '')
  }
  const readQuestions = async (ids: string[], signal: AbortSignal): Promise<void> => {
    const work = async () => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) await readQuestion(id, signal)
    }
    await Promise.all(Array.from({ length: together }, work))
  }

  return async (limit: number, signal: AbortSignal): Promise<Turns> => {
    const query = queryOf({ session_id: sessionId, user_id: user, limit })
    const tasks = await api.ask<Task[]>('GET', `/tasks${query}`, undefined, signal)
    await readQuestions(
      tasks.flatMap(({ id }) => (questions.has(id) ? [] : [id])),
      signal,
    )
    const turns = tasks.map(task => ({ task, question: questions.get(task.id) ?? '' }))
    return { turns: turns.reverse(), more: tasks.length === limit }
  }
}
