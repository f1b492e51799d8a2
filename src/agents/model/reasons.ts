// The reasons that endpoints give for their errors, in every form in which they give them.
import { STATUS_CODES } from 'node:http'
import { type Fields, fieldsOf, listOf, wordOf } from './endpoint-values.ts'

/** Errors that contain errors are followed this deep. */
const deepest = 6

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A problem as FastAPI tells it. */
const problemIn = (value: unknown): string => {
  const { loc, msg } = fieldsOf(value)
  const at = listOf(loc).join('.')
  return wordOf(msg) === '' ? '' : at === '' ? wordOf(msg) : `${at}: ${wordOf(msg)}`
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
  const fields = fieldsOf(value)
  const { error, errors, detail, details, message, msg, reason, metadata, code, type } = fields
  const said = [error, message, msg, detail, errors, reason]
    .map(each => wordsIn(each, depth + 1))
    .find(Boolean)
  // A router tells the error of the endpoint behind it in a field of its own.
  const behind = wordsIn(fieldsOf(metadata).raw, depth + 1)
  if (said) return behind === '' || behind === said ? said : `${said}: ${behind}`
  if (behind) return behind
  return depth === 0
    ? ''
    : wordsIn(details, depth + 1) ||
        [type, code]
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
  return isError ? wordsIn(error) || wordsIn(data) || 'it did not say why' : undefined
}

/** The reason in a message of a stream. One that has words and no part of an answer is an error, too. */
export const reasonInStream = (data: Fields, event?: string): string | undefined => {
  const { message, detail, choices, type } = data
  const isBare = choices === undefined && type === undefined && Boolean(message ?? detail)
  return reasonIn(data, event) ?? (isBare ? wordsIn(data) || 'it did not say why' : undefined)
}

/** The reason in text that should be a message and is no JSON. Text that begins like JSON says nothing to a reader. */
export const reasonOfText = (text: string): string | undefined => {
  const plain = /^\s*</.test(text) ? pageText(text) : text.trim()
  return plain === '' || /^[[{"]/.test(plain) ? undefined : plain
}
