// A way to stop a step.

/** Its signal is made when somebody asks for it, which most steps never do. */
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
