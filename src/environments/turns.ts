// Runs jobs one after another, in the order in which they came.
export type Turns = {
  take<Answer>(job: () => Promise<Answer>): Promise<Answer>
  /** Whether nothing runs or waits. */
  isFree(): boolean
}

export const createTurns = (): Turns => {
  let last: Promise<unknown> = Promise.resolve()
  let open = 0
  return {
    isFree: () => open === 0,
    take(job) {
      open++
      const turn = last.then(job).finally(() => open--)
      last = turn.catch(() => {})
      return turn
    },
  }
}
