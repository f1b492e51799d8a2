// Reads a cron job with its newest runs.
import { at, queryOf } from '../api/api.ts'
import { readPages } from '../api/read-pages.ts'
import { api } from '../api/session.ts'
import type { Run } from './job-state.tsx'
import type { Job } from './times.ts'

/** The number of runs in one answer. */
export const runsPerPage = 50

export type Read = { job: Job; runs: Run[]; more: boolean }

export const readJob = async (id: string, wanted: number, signal: AbortSignal): Promise<Read> => {
  const path = `/cron/jobs${at(id)}`
  const job = await api.send<Job>('GET', path, undefined, signal)
  const { found: runs, more } = await readPages<Run>(wanted, async last => {
    const query = queryOf({ limit: runsPerPage, starting_after: last?.run_id })
    type Answer = { runs: Run[]; has_more: boolean }
    const { runs, has_more } = await api.send<Answer>('GET', `${path}/runs${query}`, undefined, signal)
    return { found: runs, more: has_more }
  })
  return { job, runs, more }
}
