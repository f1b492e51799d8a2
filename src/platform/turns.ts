// Runs pieces of work one after the other, for one owner that wants no two of them at once. Work that only has to wait for
// work of the same name uses src/once/locks.ts; work of many users uses src/fairness/places.ts.

/** Each piece of work begins when the one before it has ended in any way. */
export const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work)
    last = mine.catch(() => {})
    return mine
  }
}
