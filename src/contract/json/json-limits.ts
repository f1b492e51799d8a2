// The limits of JSON values that callers send. A text needs about as many bytes of memory as it has characters. Each
// key, item and level costs far more memory than its characters in the JSON text, so their numbers are limited too.
import { isExact } from './exact-number.ts'

/**
 * The most levels of nesting in a body. JSON.parse reads any depth, but JSON.stringify fails at a few thousand levels.
 */
export const deepestBody = 64
/** The most values in one body: members of its objects and items of its lists, at every level. */
export const maxValues = 100_000
/** The most keys of one object in a body. */
export const maxKeys = 10_000
/** The largest number of different keys in one body. Each new key costs as much as fifty values. */
export const maxDifferentKeys = 20_000

/**
 * The most characters that all keys and texts of `env` may have together. The same limit applies to `metadata` and to
 * `tool_mcp_config`.
 */
export const maxSmallText = 1024 * 1024

const textIn = (value: unknown, left: number): number => {
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left
  for (const [key, child] of Object.entries(value)) {
    if (left < 0) return left
    left = textIn(child, Array.isArray(value) ? left : left - key.length)
  }
  return left
}
/**
 * Whether the keys and texts of a value have more characters than `limit`. The function stops counting at the limit.
 */
export const isLonger = (value: unknown, limit: number): boolean => textIn(value, limit) < 0

/** Whether a value has more levels of nesting than `levels`. The function never looks deeper than that. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !isExact(value) &&
  (levels === 0 || Object.values(value).some(child => isDeeper(child, levels - 1)))
