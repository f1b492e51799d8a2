// The requests about cron jobs.

import { type Link, pathOf } from './link.ts'
import { type List, ownList } from './lists.ts'
import { type Creating, type Sending, send } from './send.ts'
import type { ChangeCronJobBody, CreateCronJobBody, CronJob, CronRun, DeletedCronJob } from './types.ts'

export type CronQuery = {
  user_id?: string | undefined
  status?: CronJob['status'] | undefined
  /** The size of a page, up to 100. */
  limit?: number | undefined
}

export const cronOf = (link: Link) => {
  const post = <T>(path: string, { signal }: Sending = {}, body?: unknown, key?: string | true) =>
    send<T>(link, { method: 'POST', path, body, signal, key })
  return {
    create: (body: CreateCronJobBody, options: Creating = {}): Promise<CronJob> =>
      post('/v1/cron/jobs', options, body, options.idempotencyKey ?? true),
    /** The jobs, newest first. */
    list: (query: CronQuery = {}, { signal }: Sending = {}): List<CronJob> =>
      ownList(link, '/v1/cron/jobs', query, signal),
    get: (id: string, { signal }: Sending = {}): Promise<CronJob> =>
      send(link, { method: 'GET', path: pathOf`/v1/cron/jobs/${id}`, signal }),
    change: (id: string, body: ChangeCronJobBody, { signal }: Sending = {}): Promise<CronJob> =>
      send(link, { method: 'PATCH', path: pathOf`/v1/cron/jobs/${id}`, body, signal }),
    delete: (id: string, { signal }: Sending = {}): Promise<DeletedCronJob> =>
      send(link, { method: 'DELETE', path: pathOf`/v1/cron/jobs/${id}`, signal }),
    /** Begins a run at once. */
    trigger: (id: string, options: Creating = {}): Promise<CronRun> =>
      post(pathOf`/v1/cron/jobs/${id}/trigger`, options, undefined, options.idempotencyKey ?? true),
    pause: (id: string, options?: Sending): Promise<CronJob> =>
      post(pathOf`/v1/cron/jobs/${id}/pause`, options),
    resume: (id: string, options?: Sending): Promise<CronJob> =>
      post(pathOf`/v1/cron/jobs/${id}/resume`, options),
    /** The runs of a job, newest first. */
    runs: (id: string, query: { limit?: number } = {}, { signal }: Sending = {}): List<CronRun> =>
      ownList(link, pathOf`/v1/cron/jobs/${id}/runs`, query, signal),
  }
}
