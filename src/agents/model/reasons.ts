// The reasons that endpoints give for their errors, in every form in which they give them.
import { STATUS_CODES } from 'node:http'
import { type Fields, fieldsOf, listOf, parsed, wordOf } from './endpoint-values.ts'

/** Errors that contain errors are followed this deep. */
const deepest = 6

/** A problem as FastAPI tells it. */
const problemIn = (value: unknown): string => {
  const { loc, msg } = fieldsOf(value)
  const at = listOf(loc).join('.')
  return wordOf(msg) === '' ? '' : at === '' ? wordOf(msg) : `${at}: ${wordOf(msg)}`
}

/** Fields that hold words, the best first. */
const wordy = [
  ...['message', 'Message', 'msg', 'error_msg', 'error_description', 'detail', 'errors', 'reason', 'title'],
  ...['description', 'text'],
]
/** The words in an error's own fields. Many servers give a kind in `error`, and the reason beside it. */
const saidIn = (fields: Fields, depth: number): string => {
  const { error } = fields
  const kind = wordsIn(error, depth + 1)
  if (kind !== '' && typeof error === 'object') return kind
  const told = wordy.map(name => wordsIn(fields[name], depth + 1)).find(Boolean) ?? ''
  return [...new Set([kind, told])].filter(Boolean).join(': ')
}

/** The words of an error; empty when it has none. */
const wordsIn = (value: unknown, depth = 0): string => {
  if (depth > deepest) return ''
  if (typeof value === 'string') {
    const inner = /^\s*[[{]/.test(value) ? parsed(value) : undefined
    return (inner === undefined ? '' : wordsIn(inner, depth + 1)) || value.trim()
  }
  if (Array.isArray(value)) {
    const found = value.map(each => problemIn(each) || wordsIn(each, depth + 1)).filter(word => word !== '')
    return found.join('; ')
  }
  if (typeof value === 'number' && depth > 0) return String(value)
  if (typeof value !== 'object' || value === null) return ''
  const fields = fieldsOf(value)
  const said = saidIn(fields, depth)
  // A router tells the error of the endpoint behind it in a field of its own.
  const behind = wordsIn(fieldsOf(fields.metadata).raw, depth + 1)
  if (said) return behind === '' || behind === said ? said : `${said}: ${behind}`
  if (behind) return behind
  return depth === 0
    ? ''
    : wordsIn(fields.details, depth + 1) ||
        [fields.type, fields.code]
          .map(each => String(each ?? ''))
          .filter(Boolean)
          .join(' ')
}

/** The text of a page without its tags. */
const pageText = (text: string): string => {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]
  const words =
    (title ?? text.replace(/<(style|script)[^>]*>.*?<\/\1>/gis, ' ').replace(/<[^>]*>/g, ' ')) || ''
  return words.replace(/\s+/g, ' ').trim()
}

/** The reason in the body of an answer with an error status. */
export const reasonOfBody = (text: string, status: number): string => {
  const body = parsed(text)
  const words = body === undefined ? '' : wordsIn(body)
  if (words) return words
  const plain = /^\s*</.test(text) ? pageText(text) : text.trim()
  return plain || `${STATUS_CODES[status] ?? 'an unknown status'}, without a reason`
}

/** The reason for which there is no answer; undefined: the message does not say that it is an error. */
export const reasonIn = (data: Fields, event?: string): string | undefined => {
  const { error, object, type } = data
  const isError = event === 'error' || object === 'error' || type === 'error' || Boolean(error)
  return isError ? wordsIn(data) || 'it did not say why' : undefined
}

/** The reason in a message of a stream. One that has words and no part of an answer is an error, too. */
export const reasonInStream = (data: Fields, event?: string): string | undefined => {
  const { message, detail, choices, type, status } = data
  // RFC 9457 gives problems a type and a status, which is a number. No part of an answer has such a status.
  const isProblem = type === undefined || typeof status === 'number'
  const isBare = choices === undefined && isProblem && Boolean(message ?? detail)
  return reasonIn(data, event) ?? (isBare ? wordsIn(data) || 'it did not say why' : undefined)
}

/** The reason in text that should be a message and is no JSON. Text that begins like JSON says nothing to a reader. */
export const reasonOfText = (text: string): string | undefined => {
  const plain = /^\s*</.test(text) ? pageText(text) : text.trim()
  return plain === '' || /^[[{"]/.test(plain) ? undefined : plain
}
