/** The longest wait that a receiver can ask for, in milliseconds: a day. */
const longestMs = 24 * 3600 * 1000

/** The wait in milliseconds that `Retry-After` (seconds or a date) asks for; undefined when it is absent or invalid. */
export const retryAfterOf = (given: string | null, now: number): number | undefined => {
  if (given === null) return undefined
  const wait = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - now
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestMs)
}
