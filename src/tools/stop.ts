// How a tool ends that is told to stop.

export const stopped = (): Error => new Error('The call was stopped')

/** Throws when the signal has aborted: stands before every step that leaves something behind. */
export const unlessStopped = (signal: AbortSignal): void => {
  if (signal.aborted) throw stopped()
}
