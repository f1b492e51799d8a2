// What is to be done when the server goes down, for each of thousands of answers. A signal looks at every listener that it has
// before it takes another one, so it is given a single one here.
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

/** Does the job once when the signal is aborted; the answer forgets it. An aborted signal does nothing any more. */
export const onAbort = (signal: AbortSignal, job: () => void): (() => void) => {
  const jobs = jobsFor(signal)
  const own = () => job() // the same job may be given twice
  jobs.add(own)
  return () => void jobs.delete(own)
}
