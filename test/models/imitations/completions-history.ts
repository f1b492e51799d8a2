// Questions about the messages of a chat completion that the rules of several vendors ask.
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import type { Sent } from './imitation.ts'

export const messagesOf = ({ body }: Sent): Fields[] => listOf(body.messages).map(fieldsOf)

export type Call = { id: string; name: string; arguments: unknown; fields: Fields }
export const callsIn = ({ tool_calls }: Fields): Call[] =>
  listOf(tool_calls)
    .map(fieldsOf)
    .map(fields => {
      const called = fieldsOf(fields.function)
      return { id: String(fields.id), name: String(called.name), arguments: called.arguments, fields }
    })
/** Every call of the history, with the number of its message and its number there. */
export const callsOf = (sent: Sent): (Call & { message: number; nth: number })[] =>
  messagesOf(sent).flatMap((fields, message) =>
    callsIn(fields).map((call, nth) => ({ ...call, message, nth })),
  )

/** The ids of calls without a result right after their message, by the number of the message that comes instead. */
export const unanswered = (messages: Fields[]): { message: number; ids: string[] }[] =>
  messages.flatMap((fields, message) => {
    const results = resultsAfter(messages, message)
    const ids = callsIn(fields).flatMap(({ id }) => (results.includes(id) ? [] : [id]))
    return ids.length === 0 ? [] : [{ message: message + 1 + results.length, ids }]
  })
const resultsAfter = (messages: Fields[], message: number): unknown[] => {
  const after = messages.slice(message + 1)
  const end = after.findIndex(({ role }) => role !== 'tool')
  return after.slice(0, end < 0 ? undefined : end).map(({ tool_call_id }) => tool_call_id)
}
/** The numbers of messages with a result of no call right before. */
export const strayResults = (messages: Fields[]): number[] =>
  messages.flatMap(({ role, tool_call_id }, n) => {
    if (role !== 'tool') return []
    const before = messages.slice(0, n).findLast(other => other.role !== 'tool')
    return callsIn(before ?? {}).some(({ id }) => id === tool_call_id) ? [] : [n]
  })

/** Whether a content has an image. */
export const hasImage = ({ content }: Fields): boolean =>
  listOf(content).some(part => fieldsOf(part).type === 'image_url')

/** The messages since the newest one of the user: those of the turn that goes on. */
export const currentTurn = (messages: Fields[]): Fields[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)

/** Why a text is no JSON; undefined if it is. */
export const jsonProblem = (value: unknown): string | undefined => {
  try {
    JSON.parse(String(value))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
export const isJsonObject = (value: unknown): boolean => {
  if (jsonProblem(value) !== undefined) return false
  const parsed: unknown = JSON.parse(String(value))
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
}
