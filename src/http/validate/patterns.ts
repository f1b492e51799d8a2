// Compiles each pattern of our schemas once.

const regExps = new Map<string, RegExp>()

// Compiles with the flag that TypeBox uses for patterns. The cache stays small, because all patterns come from our
// schemas.
export function regExp(pattern: string): RegExp {
  const known = regExps.get(pattern)
  if (known) return known
  const made = new RegExp(pattern, 'u')
  regExps.set(pattern, made)
  return made
}
