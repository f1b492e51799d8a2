// Estimates the length of a JSON value without writing it as text.

/** The approximate number of characters in the JSON text of a value. */
export const lengthOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 2
  let length = 0
  for (const [key, inner] of Object.entries(value)) length += key.length + 2 + lengthOf(inner)
  return length
}

/** The characters for which a comma and the index of a list count. */
const indexLength = 3

/** Returns `max` minus the length of a value. When the result gets negative, the function stops counting. */
const leftAfter = (value: unknown, max: number): number => {
  if (typeof value === 'string') return max - value.length
  if (typeof value !== 'object' || value === null) return max - 2
  let left = max
  // This runs for the data of every event that is appended, and `for in` makes no lists of entries. For a list it would
  // make a text of each index, which takes ten times as long.
  if (Array.isArray(value)) {
    for (let n = 0; n < value.length && left >= 0; n++) left = leftAfter(value[n], left - indexLength)
    return left
  }
  for (const key in value) {
    left = leftAfter((value as Record<string, unknown>)[key], left - key.length - 2)
    if (left < 0) break
  }
  return left
}

/** Whether a JSON value is longer than about `max` characters. */
export const isLongerThan = (value: unknown, max: number): boolean => leftAfter(value, max) < 0
