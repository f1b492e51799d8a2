// Finds keys in JSON from outside that would reach prototypes of objects when code copies them carelessly.
import type { Problem } from '../refusals.ts'

/** Matches the unsafe names, and any escape of one of their letters (_ and a–z are \u005f to \u007a). */
const maybeUnsafe = /__proto__|constructor|\\u00[567]/i

const hasPrototypeKey = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')

const unsafeKey = (loc: Problem['loc']): Problem => ({
  loc,
  type: 'value_error',
  msg: 'Value error, a key of this name is not allowed',
})

// Recursion is safe: the depth was checked before.
const find = (value: unknown, loc: Problem['loc'], problems: Problem[], most: number): void => {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (problems.length >= most) return
      find(item, [...loc, index], problems, most)
    }
    return
  }
  for (const [key, child] of Object.entries(value)) {
    if (problems.length >= most) return
    if (key === '__proto__') problems.push(unsafeKey([...loc, key]))
    else if (key === 'constructor' && hasPrototypeKey(child))
      problems.push(unsafeKey([...loc, key, 'prototype']))
    else find(child, [...loc, key], problems, most)
  }
}

/** The problems of the unsafe keys in a value, at most `most` of them. `text`: the JSON from which the value was parsed. */
export const unsafeKeys = (text: string, value: unknown, most: number): Problem[] => {
  const problems: Problem[] = []
  if (maybeUnsafe.test(text)) find(value, ['body'], problems, most)
  return problems
}
