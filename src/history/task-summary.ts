// Makes the summary that a list shows instead of a task's output: the question, and when and how long its agent worked.
import type { MessageContent } from '../contract/wire.ts'
import type { Course } from './task/course.ts'
import { seconds } from './task-object.ts'

/** The most characters of the question. */
const questionLength = 200

/**
 * The first characters of a message, up to `length`; surrogate pairs are not cut. Parts that are not text are left out.
 */
export const beginningOf = (content: MessageContent, length: number): string => {
  let text = ''
  for (const part of typeof content === 'string' ? [content] : content) {
    const own = typeof part === 'string' ? part : 'text' in part ? part.text : ''
    text += text === '' || own === '' ? own : ` ${own}`
    if (text.length >= 2 * length) break
  }
  // A text of at most `length` code units has no more characters than that, so they need not be counted.
  return text.length <= length ? text : [...text.slice(0, 2 * length)].slice(0, length).join('')
}

/** Times in seconds since 1970. A time is absent while the agent has not begun, or while the task has not ended. */
export type TaskSummary = { question: string; started_at?: number; ended_at?: number; duration_ms?: number }

export const summaryOf = ({ created, startedAt, ended }: Course): TaskSummary => ({
  question: created === undefined ? '' : beginningOf(created.request.user_message_content, questionLength),
  ...(startedAt === 0 ? {} : { started_at: seconds(startedAt) }),
  ...(ended === undefined ? {} : { ended_at: seconds(ended.at) }),
  ...(startedAt === 0 || ended === undefined ? {} : { duration_ms: ended.at - startedAt }),
})
