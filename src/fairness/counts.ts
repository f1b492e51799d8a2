/** Keeps a number for each user, and the sum of all numbers. A number without a user counts only in the sum. */
export const createCounts = () => {
  const byUser = new Map<string | undefined, number>()
  let total = 0
  return {
    of: (user: string): number => byUser.get(user) ?? 0,
    total: () => total,
    add(user: string | undefined, by: 1 | -1): void {
      const count = (byUser.get(user) ?? 0) + by
      total += by
      if (count === 0) byUser.delete(user)
      else byUser.set(user, count)
    },
  }
}
export type Counts = ReturnType<typeof createCounts>
