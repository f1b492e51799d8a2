// What a JSON value from outside may hold. Text costs what its bytes cost; keys, items and levels cost far more, and are
// limited by their number.

/** Levels of a request's body: JSON.parse reads any depth, JSON.stringify gives up at a few thousand levels. */
export const deepestBody = 64
/** Values in one body: members of its objects and items of its lists, at every level. */
export const mostValues = 100_000
/** Keys of one object in a body. */
export const mostKeys = 10_000
/** Different keys in one body: each new one costs as much as fifty values. */
export const mostDifferentKeys = 20_000

/** Characters that the keys and texts of `env`, `metadata` or `tool_mcp_config` may have together. */
export const mostSmallText = 1024 * 1024

const textIn = (value: unknown, left: number): number => {
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left
  for (const [key, child] of Object.entries(value)) {
    if (left < 0) return left
    left = textIn(child, Array.isArray(value) ? left : left - key.length)
  }
  return left
}
/** Whether the keys and texts of a value have more characters than `limit`; it stops looking when they do. */
export const isLonger = (value: unknown, limit: number): boolean => textIn(value, limit) < 0

/** Never goes deeper than `levels`, whatever it is given. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(child => isDeeper(child, levels - 1)))
