// Writes values as strict JSON: a value that JSON does not have is an error, and is not silently replaced by another.
// Likewise, a number that JavaScript does not have never becomes another number.
import { exactNumber, heldBy, mapExact } from '../../contract/json/exact-number.ts'

const nameOf = (value: unknown): string | undefined => {
  if (value === undefined) return 'undefined'
  if (typeof value === 'function' || typeof value === 'symbol') {
    return `a ${typeof value}`
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)) {
    return `a ${value.constructor.name}`
  }
  return undefined
}

const integer = /^-?\d+$/

/**
 * A value for the class of an author: integers beyond 2^53 are BigInts, all other numbers are plain. Throws a TypeError
 * that names a number of another form that JavaScript does not have, such as 1e400.
 */
export const plainOf = (value: unknown): unknown =>
  mapExact(value, (number, path) => {
    const held = heldBy(number)
    if (held !== undefined) return held
    if (integer.test(number.rawJSON)) return BigInt(number.rawJSON)
    const text = number.rawJSON.slice(0, 100)
    throw new TypeError(`“${path.join('.')}” is ${text}, which JavaScript cannot hold: send it as a string`)
  })

/**
 * BigInts become integers. Throws a TypeError for a value that is not JSON. If one field is the cause, the error names
 * it.
 */
export const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value, (key, field) => {
      const name = nameOf(field)
      if (name !== undefined) throw new TypeError(`“${key}” is ${name}, which is no JSON`)
      return typeof field === 'bigint' ? exactNumber(String(field)) : field
    })
  } catch (error) {
    if (error instanceof RangeError) throw new TypeError('a value is nested too deeply')
    if (/circular/i.test(String(error))) throw new TypeError('a value holds itself, which is no JSON')
    throw error
  }
}

/** The greatest length of an error message, in characters. */
const longest = 1 << 16

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => {
  try {
    return (error instanceof Error ? `${error.message || error.name}` : String(error)).slice(0, longest)
  } catch {
    return 'something was thrown that cannot be told'
  }
}
