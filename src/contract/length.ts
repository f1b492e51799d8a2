// Estimates the length of a JSON value without writing it as text.

/** Whether a JSON value is longer than about `most` characters. */
export const isLongerThan = (value: unknown, most: number): boolean => {
  let left = most
  const look = (each: unknown): void => {
    if (left < 0) return
    if (typeof each === 'string') left -= each.length
    else if (typeof each === 'object' && each !== null) {
      for (const [key, inner] of Object.entries(each)) {
        left -= key.length + 2
        look(inner)
      }
    } else left -= 2
  }
  look(value)
  return left < 0
}
