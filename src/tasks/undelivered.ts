/** What a request made: a task, a cron job or a run. `position`: the position of the event that made it. */
type Made = { id: string; position: number }

/** The most tasks in each of the two sets of `createUndelivered`. */
const rememberedAtMost = 100_000

/** Adds a task to a set. A full set forgets its oldest task. */
const remember = (set: Set<string>, taskId: string) => {
  const oldest = set.size < rememberedAtMost ? undefined : set.values().next().value
  if (oldest !== undefined) set.delete(oldest)
  set.add(taskId)
}

/**
 * The tasks whose creation was answered, but whose answer may not have arrived. A task from before this start (up to
 * the position `startedAt`) counts as such a task until its answer is claimed.
 */
export const createUndelivered = (startedAt: number) => {
  const lost = new Set<string>()
  const claimedOld = new Set<string>()
  return {
    add: (taskId: string): void => remember(lost, taskId),
    has: ({ id, position }: Made): boolean => lost.has(id) || (position <= startedAt && !claimedOld.has(id)),
    /** A retry gets the answer of this task now. */
    claim({ id, position }: Made): void {
      lost.delete(id)
      if (position <= startedAt) remember(claimedOld, id)
    },
  }
}
