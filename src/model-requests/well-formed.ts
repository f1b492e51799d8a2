// Halves of surrogate pairs, which strict parsers of JSON refuse. A body has the replacement character in their place;
// what is stored stays as it came.

import { isExact } from '../contract/json/exact-number.ts'

/** A copy of a JSON value without halves of pairs; the value itself when it has none. */
export const wellFormed = <T>(value: T): T => {
  if (typeof value === 'string') return (value.isWellFormed() ? value : value.toWellFormed()) as T
  if (typeof value !== 'object' || value === null || isExact(value)) return value
  if (Array.isArray(value)) {
    const items = value.map(wellFormed)
    return items.every((item, n) => item === value[n]) ? value : (items as T)
  }
  const fields = Object.entries(value)
  const repaired = fields.map(([name, inner]) => [wellFormed(name), wellFormed(inner)] as const)
  const isSame = repaired.every(([name, inner], n) => name === fields[n]?.[0] && inner === fields[n]?.[1])
  return isSame ? value : (Object.fromEntries(repaired) as T)
}

/** Whether JSON text may write half of a pair as an escape. */
export const mayEscapeHalves = (json: string): boolean => /\\u[dD][89a-fA-F]/.test(json)
