// Reads a cron job with its newest runs.
import { at, queryOf } from '../api/api.ts'
import { api } from '../api/session.ts'
import type { Run } from './job-state.tsx'
import type { Job } from './times.ts'

/** The number of runs in one answer. */
export const runsPerPage = 50

export type Read = { job: Job; runs: Run[]; more: boolean }

export const readJob = async (id: string, wanted: number, signal: AbortSignal): Promise<Read> => {
  const path = `/cron/jobs${at(id)}`
  const job = await api.send<Job>('GET', path, undefined, signal)
  const runs: Run[] = []
  for (;;) {
    const query = queryOf({ limit: runsPerPage, starting_after: runs.at(-1)?.run_id })
    type Answer = { runs: Run[]; has_more: boolean }
    const next = await api.send<Answer>('GET', `${path}/runs${query}`, undefined, signal)
    runs.push(...next.runs)
    if (!next.has_more || runs.length >= wanted) return { job, runs, more: next.has_more }
  }
}
