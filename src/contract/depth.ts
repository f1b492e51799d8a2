// How deep a JSON value may be nested: JSON.parse reads whatever comes, JSON.stringify gives up at a few thousand levels.

/** Levels of a request's body. */
export const deepestBody = 64

/** Never goes deeper than `levels`, whatever it is given. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(child => isDeeper(child, levels - 1)))
