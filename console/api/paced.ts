// Repeats a piece of work at a limited pace: soon after it is wanted, and not again before the server had a rest.

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
    /** Runs the work at once. */
    now(): void {
      running = run()
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
