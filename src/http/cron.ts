// The routes of cron jobs and of their runs.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { jobOf, runOf } from '../cron/objects.ts'
import type { Retry } from '../cron/retries.ts'
import { handedOver } from './delivery.ts'
import type { CronDoor } from './doors.ts'
import { givenIn } from './problems.ts'
import { readQuery } from './query.ts'
import { type App, askedOf } from './request.ts'
import { idHeader, isRetry, noteReplay } from './request-id.ts'
import { route } from './route.ts'

/** The allowed values of `limit`, the number of jobs or runs on one page, and its value if none is given. */
const page = { min: 1, max: 100, fallback: 10 }

/** What finds an earlier call of the same request, and tells whether the answer to this call reached its caller. */
const retryOf = (request: FastifyRequest, reply: FastifyReply): Retry => ({
  key: idHeader(request, 'idempotency-key'),
  isRetry: isRetry(request),
  ...handedOver(reply),
})

export const cronRoutes = (app: App, { commands, queries, stateOf, machineOf }: CronDoor): void => {
  route(app, 'createCronJob', {
    attachValidation: true,
    async handler(request, reply) {
      const retry = retryOf(request, reply)
      const { row, replayed } = await commands.create(askedOf(request), givenIn(request), retry)
      if (replayed) noteReplay(reply)
      return jobOf(row)
    },
  })
  route(app, 'listCronJobs', {
    async handler({ principal, query }) {
      const q = readQuery(query)
      const filters = {
        limit: q.integer('limit', page),
        startingAfter: q.text('starting_after'),
        userId: q.text('user_id'),
        status: q.oneOf('status', ['active', 'paused', 'ended'], undefined),
      }
      q.done()
      const { rows, hasMore } = queries.list(principal, filters)
      return { jobs: rows.map(jobOf), has_more: hasMore }
    },
  })
  route(app, 'getCronJob', {
    handler: async ({ principal, params }) => jobOf(queries.visible(principal, params.job_id)),
  })
  route(app, 'changeCronJob', {
    attachValidation: true,
    handler: async request =>
      jobOf(await commands.change(askedOf(request), request.params.job_id, givenIn(request))),
  })
  route(app, 'deleteCronJob', {
    async handler(request) {
      const { job_id } = request.params
      await commands.remove(askedOf(request), job_id)
      return { status: 'deleted', job_id, message: `cron job ${job_id} is deleted` }
    },
  })
  route(app, 'pauseCronJob', {
    handler: async request => jobOf(await commands.pause(askedOf(request), request.params.job_id)),
  })
  route(app, 'resumeCronJob', {
    handler: async request => jobOf(await commands.resume(askedOf(request), request.params.job_id)),
  })
  route(app, 'triggerCronJob', {
    async handler(request, reply) {
      const { job_id } = request.params
      const { run, replayed } = await commands.trigger(askedOf(request), job_id, retryOf(request, reply))
      if (replayed) noteReplay(reply)
      if (run === undefined) throw new Error('the run of a trigger has no row')
      return runOf(run)
    },
  })
  route(app, 'getCronJobMachine', {
    async handler({ principal, params }) {
      const { id } = queries.visible(principal, params.job_id)
      return machineOf(await stateOf(id))
    },
  })
  route(app, 'listCronRuns', {
    async handler({ principal, params, query }) {
      const q = readQuery(query)
      const filters = {
        limit: q.integer('limit', page),
        startingAfter: q.text('starting_after'),
      }
      q.done()
      const { id } = queries.visible(principal, params.job_id)
      const { rows, hasMore } = queries.runs(id, filters)
      return { runs: rows.map(runOf), has_more: hasMore }
    },
  })
}
