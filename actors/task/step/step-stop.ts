// Makes the means to stop a step: a flag, and an abort signal.

/** Made once: an abort without a reason makes an error with a stack each time, which took 3 % of the time of an echo task. */
const reason = new DOMException('the step was stopped', 'AbortError')

/** The signal is created on first use: most steps never need it. */
export const createStop = () => {
  let aborted = false
  let controller: AbortController | undefined
  return {
    aborted: () => aborted,
    abort() {
      aborted = true
      controller?.abort(reason)
    },
    signal(): AbortSignal {
      controller ??= new AbortController()
      if (aborted) controller.abort(reason)
      return controller.signal
    },
  }
}
export type Stop = ReturnType<typeof createStop>
