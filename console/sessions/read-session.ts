// Reads the tasks of a session, each with what its user said. The task object contains only what the agent said, so the
// message of the user is read from the first event of the task.
import type { MessageContent, Task } from '../../src/contract/wire.ts'
import { type Api, queryOf } from '../api/api.ts'
import { readPage } from '../api/listed.ts'

export type Turn = { task: Task; question: MessageContent }
/** `more`: there are earlier tasks. */
export type Turns = { turns: Turn[]; more: boolean }

/** The number of tasks in one answer. */
export const turnsPerPage = 25
/** How many questions are read at a time. */
const together = 4

/** `before`: only tasks that are older than the task with this id. */
type Session = { id: string; user: string | undefined; before?: string }

/** Reads the newest tasks of a session, oldest first. A question never changes, so it is read once. */
export const createSessionReader = (api: Api, { id: session_id, user, before }: Session) => {
  const questions = new Map<string, MessageContent>()

  const readQuestion = async (id: string, signal: AbortSignal): Promise<void> => {
    const query = { stream: `task-${id}`, limit: 1 }
    type First = { data: { request?: { user_message_content?: MessageContent } } }
    const page = await readPage<First>(api, '/audit/events', query, signal)
    questions.set(id, page.data[0]?.data.request?.user_message_content ?? '')
  }
  const readQuestions = async (ids: string[], signal: AbortSignal): Promise<void> => {
    const work = async () => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) await readQuestion(id, signal)
    }
    await Promise.all(Array.from({ length: together }, work))
  }

  /** `wanted`: the least number of tasks to read, if the session has them. */
  return async (wanted: number, signal: AbortSignal): Promise<Turns> => {
    const tasks: Task[] = []
    let more = true
    while (more && tasks.length < wanted) {
      const starting_after = tasks.at(-1)?.id ?? before
      const query = queryOf({ session_id, user_id: user, starting_after, limit: turnsPerPage })
      const page = await api.ask<Task[]>('GET', `/tasks${query}`, undefined, signal)
      tasks.push(...page)
      more = page.length === turnsPerPage
    }
    const unknown = tasks.flatMap(({ id }) => (questions.has(id) ? [] : [id]))
    await readQuestions(unknown, signal)
    const turns = tasks.map(task => ({ task, question: questions.get(task.id) ?? '' }))
    return { turns: turns.reverse(), more }
  }
}
