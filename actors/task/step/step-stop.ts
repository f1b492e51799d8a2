// Makes the means to stop a step: a flag, and an abort signal.

/** The signal is created on first use: most steps never need it. */
export const createStop = () => {
  let aborted = false
  let controller: AbortController | undefined
  return {
    aborted: () => aborted,
    abort() {
      aborted = true
      controller?.abort()
    },
    signal(): AbortSignal {
      controller ??= new AbortController()
      if (aborted) controller.abort()
      return controller.signal
    },
  }
}
export type Stop = ReturnType<typeof createStop>
