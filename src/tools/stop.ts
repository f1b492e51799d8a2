// The error of a call that was stopped, and a check that throws it.

export const stopped = (): Error => new Error('The call was stopped')

/** Throws if the signal has aborted. Call it before every step that leaves something behind. */
export const unlessStopped = (signal: AbortSignal): void => {
  if (signal.aborted) throw stopped()
}
