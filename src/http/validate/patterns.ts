// The patterns of our schemas, each compiled once.

const regExps = new Map<string, RegExp>()

// Uses the flag with which TypeBox compiles patterns. The cache stays small, since all patterns come from our schemas.
export function regExp(pattern: string): RegExp {
  const known = regExps.get(pattern)
  if (known) return known
  const made = new RegExp(pattern, 'u')
  regExps.set(pattern, made)
  return made
}
