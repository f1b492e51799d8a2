// The routes of cron jobs and of their runs.
import { jobOf, runOf } from '../../cron/objects.ts'
import { attemptOf } from '../answer/delivery.ts'
import { listByPosition } from '../answer/listing.ts'
import type { CronDoor } from '../doors.ts'
import { parametersOf } from '../request/parameters.ts'
import { givenIn } from '../request/problems.ts'
import { readQuery } from '../request/query.ts'
import { type App, askedOf } from '../request/request.ts'
import { noteReplay } from '../request/request-id.ts'
import { route } from '../route.ts'

const jobList = listByPosition('listCronJobs')
const runList = listByPosition('listCronRuns')
/** The place of a job or a run in its list. */
const positionOf = ({ position }: { position: number }): number => position

export const cronRoutes = (app: App, { commands, queries, stateOf, machineOf }: CronDoor): void => {
  route(app, 'createCronJob', {
    attachValidation: true,
    async handler(request, reply) {
      const retry = attemptOf(request, reply)
      const { row, replayed } = await commands.create(askedOf(request), givenIn(request), retry)
      if (replayed) noteReplay(reply)
      return jobOf(row)
    },
  })
  route(app, 'listCronJobs', {
    async handler({ principal, query }) {
      const q = readQuery(query)
      const asked = jobList.asked(q)
      const filters = parametersOf('listCronJobs', q, 'limit', 'cursor')
      q.done()
      return jobList.answer(queries.list(principal, asked, filters), asked, positionOf, jobOf)
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
      const { run, replayed } = await commands.trigger(askedOf(request), job_id, attemptOf(request, reply))
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
      const asked = runList.asked(q)
      q.done()
      const { id } = queries.visible(principal, params.job_id)
      return runList.answer(queries.runs(id, asked), asked, positionOf, runOf)
    },
  })
}
