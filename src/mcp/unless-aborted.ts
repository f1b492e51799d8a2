/** Stops waiting when the signal aborts. The work continues for other callers that wait for it. */
export const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return work
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('The call was stopped'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
