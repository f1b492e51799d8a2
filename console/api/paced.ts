// Does a piece of work soon after it was asked for, but not too often, so that the server is not overloaded.

/** The least time between two runs, in milliseconds. */
const restMs = 700

export const createPaced = (work: () => Promise<void>) => {
  let running: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let tookMs = 0
  let isClosed = false
  const run = async () => {
    const began = performance.now()
    await work()
    tookMs = performance.now() - began
  }
  return {
    /** Runs the work at once. If it runs already, it runs again afterwards, since its answer may be too old. */
    now(): void {
      running = running === undefined ? run() : running.then(() => (isClosed ? undefined : run()))
    },
    /** Runs the work a moment later. Slow work runs more rarely. */
    soon(): void {
      if (timer !== undefined || isClosed) return
      timer = setTimeout(
        async () => {
          await running
          timer = undefined
          if (!isClosed) running = run()
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
