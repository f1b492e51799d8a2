// Keeps the runtime's formatter of local times for each time zone, because it takes long to make a formatter.
const formats = new Map<string, Intl.DateTimeFormat>()

/** The formatter of a zone. Throws RangeError for an unknown zone. */
export const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const parts = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  } as const
  const made = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts, second: 'numeric' })
  formats.set(timeZone, made)
  return made
}

export const isZone = (name: string): boolean => {
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}
