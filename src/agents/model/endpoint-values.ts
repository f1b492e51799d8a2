// Reads values of an endpoint in their expected types. Endpoints differ, and no unexpected value may reach the log: a
// value of another type counts as absent.

import type { Logprob } from '../../contract/wire.ts'
import { type Fields, fieldsOf } from '../../model-requests/fields.ts'

export { type Fields, fieldsOf }

/** The value of JSON text; undefined: it is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A text, or the text parts that some endpoints send instead, joined. */
export const joinedText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(joinedText).join('')
  if (typeof value === 'object' && value !== null) return wordOf((value as Fields).text)
  return wordOf(value)
}
/** JSON text. Some endpoints send the value itself instead of its text. */
export const jsonOf = (value: unknown): string => {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return wordOf(value)
}
/** A number from 0, also as a text. */
export const numberOf = (value: unknown): number | undefined =>
  countOf(typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)
/** A name, cut to 256 characters; undefined for anything else. */
export const nameOf = (value: unknown): string | undefined => wordOf(value).slice(0, 256) || undefined
export const countOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined

export const tokenIdsOf = (value: unknown): number[] | undefined =>
  Array.isArray(value) && value.every(Number.isSafeInteger) ? (value as number[]) : undefined

const isByte = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 256

const probOf = (value: unknown) => {
  const { token, logprob, bytes } = fieldsOf(value)
  if (typeof token !== 'string' || typeof logprob !== 'number') return []
  const given = Array.isArray(bytes) && bytes.every(isByte)
  return [{ token, logprob, bytes: given ? (bytes as number[]) : [...Buffer.from(token)] }]
}
export const logprobsOf = (value: unknown): Logprob[] =>
  listOf(fieldsOf(value).content).flatMap(entry =>
    probOf(entry).map(prob => ({
      ...prob,
      top_logprobs: listOf(fieldsOf(entry).top_logprobs).flatMap(probOf),
    })),
  )
