// The patterns of our schemas, each compiled once.

const regExps = new Map<string, RegExp>()

// With the flag that TypeBox compiles patterns with. The patterns are our schemas', so there are only a few.
export function regExp(pattern: string): RegExp {
  const known = regExps.get(pattern)
  if (known) return known
  const made = new RegExp(pattern, 'u')
  regExps.set(pattern, made)
  return made
}
