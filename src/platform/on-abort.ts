// Runs jobs when a signal aborts: thousands of answers have such a job for the stop of the server. An abort signal
// compares each new listener with all earlier ones, which is slow. So it gets one listener here, which runs all jobs.
import { Members } from './transient.ts'

const jobsOf = new WeakMap<AbortSignal, Members<() => void>>()

const jobsFor = (signal: AbortSignal): Members<() => void> => {
  const known = jobsOf.get(signal)
  if (known !== undefined) return known
  const jobs = new Members<() => void>()
  jobsOf.set(signal, jobs)
  signal.addEventListener('abort', () => {
    for (const job of jobs) job()
  })
  return jobs
}

/**
 * Does the job once when the signal aborts. The returned function removes the job. If the signal has aborted already,
 * the job never runs.
 */
export const onAbort = (signal: AbortSignal, job: () => void): (() => void) => {
  if (signal.aborted) return () => {}
  const leave = jobsFor(signal).join(() => {
    leave()
    job()
  })
  return leave
}
