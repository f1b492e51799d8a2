// Jobs for the server's stop, for each of thousands of answers. A signal compares a new listener with all that it has,
// so it gets a single listener here.
const jobsOf = new WeakMap<AbortSignal, Set<() => void>>()

const jobsFor = (signal: AbortSignal): Set<() => void> => {
  const known = jobsOf.get(signal)
  if (known !== undefined) return known
  const jobs = new Set<() => void>()
  jobsOf.set(signal, jobs)
  signal.addEventListener('abort', () => {
    for (const job of [...jobs]) if (jobs.delete(job)) job()
  })
  return jobs
}

/**
 * Does the job once when the signal aborts; the returned function cancels that. It never runs for a signal that has
 * aborted before.
 */
export const onAbort = (signal: AbortSignal, job: () => void): (() => void) => {
  const jobs = jobsFor(signal)
  const own = () => job() // the same job may be given twice
  jobs.add(own)
  return () => void jobs.delete(own)
}
