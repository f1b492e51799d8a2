// Does a piece of work soon after it was asked for, but not too often, so that the server is not overloaded.

/** The least time between two runs, in milliseconds. */
const restMs = 700

/** One run goes on at a time, so that an earlier answer never comes after a later one. `work` must not reject. */
export const createPaced = (work: () => Promise<void>) => {
  let newest: Promise<void> = Promise.resolve()
  let isWaiting = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let tookMs = 0
  let isClosed = false
  const run = async () => {
    isWaiting = false
    if (isClosed) return
    const began = performance.now()
    await work()
    tookMs = performance.now() - began
  }
  /** Runs the work at once, or when the run that goes on has ended. */
  const now = (): void => {
    if (isWaiting) return
    isWaiting = true
    newest = newest.then(run)
  }
  return {
    now,
    /** Runs the work a moment later. Slow work runs more rarely. */
    soon(): void {
      if (timer !== undefined || isClosed) return
      timer = setTimeout(
        async () => {
          await newest
          timer = undefined
          now()
        },
        Math.max(restMs, 3 * tookMs),
      )
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
