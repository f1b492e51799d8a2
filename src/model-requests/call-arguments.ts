// The arguments of earlier calls in a form that every endpoint can read. The log keeps what the model wrote.
import { readJson } from '../contract/json/exact-json.ts'
import type { Fields } from './fields.ts'
import { mayEscapeHalves, wellFormed } from './well-formed.ts'

/** The object that a JSON text is, with the digits of its numbers; undefined: it is none. */
export const objectIn = (text: string): Fields | undefined => {
  try {
    const value: unknown = readJson(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

/** What stands in place of arguments that are no JSON object: the text of the model, so that it sees its mistake. */
const wrapped = (text: string): Fields => ({ not_a_json_object: text })

/** The arguments as an object, for protocols that send no text. */
export const argumentsObject = (text: string): Fields =>
  text.trim() === '' ? {} : (objectIn(text) ?? wrapped(text))

/** The arguments as the text of a JSON object: the model's own text if it is one. */
export const argumentsText = (text: string): string => {
  const object = argumentsObject(text)
  const isOwn = text.trim() !== '' && objectIn(text) !== undefined
  if (isOwn && !mayEscapeHalves(text)) return text
  const repaired = wellFormed(object)
  return isOwn && repaired === object ? text : JSON.stringify(repaired)
}
