// Remembers which answers did not arrive, so that a marked retry without a key finds what its first try made. Each lost
// answer is given once: a retry claims it. Only what is rare is remembered, so memory does not grow with the requests.

/** What a request made, such as a task or a cron job. `position`: the position of the event that made it. */
export type Thing = { id: string; position: number }

/** The most things in each of the two sets of `createLostAnswers`. */
const rememberedAtMost = 100_000

/** Adds a name to a set. A full set forgets its oldest name. */
const remember = (set: Set<string>, name: string) => {
  const oldest = set.size < rememberedAtMost ? undefined : set.values().next().value
  if (oldest !== undefined) set.delete(oldest)
  set.add(name)
}

const nameOf = (scope: string, id: string): string => `${scope} ${id}`

/**
 * The things whose answer may not have arrived. The answer of a thing from before this start (up to the position
 * `startedAt`) counts as lost until it is claimed.
 */
export const createLostAnswers = (startedAt: number) => {
  const lost = new Set<string>()
  const claimedOld = new Set<string>()
  return {
    add: (scope: string, id: string): void => remember(lost, nameOf(scope, id)),
    has: (scope: string, { id, position }: Thing): boolean =>
      lost.has(nameOf(scope, id)) || (position <= startedAt && !claimedOld.has(nameOf(scope, id))),
    /** A retry gets the answer about this thing now. */
    claim(scope: string, { id, position }: Thing): void {
      lost.delete(nameOf(scope, id))
      if (position <= startedAt) remember(claimedOld, nameOf(scope, id))
    },
  }
}
