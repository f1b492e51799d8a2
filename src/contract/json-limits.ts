// Limits of a JSON value from outside. Text costs memory by its bytes. Keys, items and levels cost far more, so their
// number is limited.

/** Levels of a request's body. JSON.parse reads any depth, but JSON.stringify fails at a few thousand levels. */
export const deepestBody = 64
/** Values in one body: members of its objects and items of its lists, at every level. */
export const mostValues = 100_000
/** Keys of one object in a body. */
export const mostKeys = 10_000
/** Different keys in one body. Each new key costs as much as fifty values. */
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
/** Whether the keys and texts of a value have more characters than `limit`; stops counting there. */
export const isLonger = (value: unknown, limit: number): boolean => textIn(value, limit) < 0

/** Whether a value has more levels than `levels`; never looks deeper than that. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(child => isDeeper(child, levels - 1)))
