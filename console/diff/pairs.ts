// Puts the items of two tasks into pairs, and compares each pair. Ids and times do not count in the comparison.
import { canonical } from '../../src/contract/canonical.ts'
import { createContents } from '../../src/history/diff/content.ts'
import type { Entry } from '../task/entries.ts'

export type Pair = { left: Entry | undefined; right: Entry | undefined; isSame: boolean }

/** The contents of items that were compared before. Items never change. */
const known = new WeakMap<object, string>()
const contentOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return canonical(value ?? null)
  const found = known.get(value) ?? canonical(createContents()(value))
  known.set(value, found)
  return found
}
const isSame = (left: Entry | undefined, right: Entry | undefined): boolean => {
  if (left === undefined || right === undefined) return false
  if (!('item' in left) || !('item' in right))
    return 'said' in left && 'said' in right && contentOf(left.said) === contentOf(right.said)
  return contentOf(left.item) === contentOf(right.item) && contentOf(left.result) === contentOf(right.result)
}

export const pairsOf = (left: readonly Entry[], right: readonly Entry[]): Pair[] =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, n) => ({
    left: left[n],
    right: right[n],
    isSame: isSame(left[n], right[n]),
  }))
