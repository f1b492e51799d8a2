// A cron job as an actor. It has no effects and no timers: the alarm (src/cron/alarm.ts) has one timer for all jobs,
// and the task of a run is an actor of its own. So an idle job leaves memory.
import { cronChart, cronMoveOf } from '../../src/contract/charts/cron-chart.ts'
import type { CronCommand } from '../../src/contract/commands/cron-commands.ts'
import { cronEvents } from '../../src/contract/decoders/cron.ts'
import { type CronEvent, cronEventVersion } from '../../src/contract/events/cron-events.ts'
import { dueFold, restoredCronJob } from '../../src/history/cron-fold.ts'
import { type CronView, emptyCronJob, evolveCronJob } from '../../src/history/cron-job.ts'
import type { Decision, Kind } from '../runtime/kind.ts'
import type { Folded } from '../runtime/logic.ts'
import { mustFollow } from '../runtime/must-follow.ts'
import { decide, runOf } from './decide.ts'
import type { At, CronDeps } from './deps.ts'

/** Adds a saved fold to the events when one is due. The fold shows the job as it was before these events. */
const withSavedFold = (view: CronView, events: CronEvent[]): CronEvent[] => {
  const fold = events.length === 0 ? undefined : dueFold(view)
  const isOver = events.some(({ type }) => type === 'CronJobDeleted')
  return fold === undefined || isOver ? events : [...events, { type: 'CronFoldSaved', data: { fold } }]
}

export const foldedCronJob: Folded<CronView> = {
  chart: cronChart,
  empty: emptyCronJob,
  evolve: (view, event) => evolveCronJob(view, cronEvents.read(event)),
  placeOf: view => view.state,
}

/** The id under which the request of the run is kept that a command may begin. */
const ticketOf = (command: CronCommand): string | undefined => {
  if (command.type === 'RunDue' || command.type === 'RunNow') return command.runId
  return command.type === 'RunQueued' ? command.ticket : undefined
}

const decideJob = (view: CronView, command: CronCommand, at: At): Decision => {
  const { events: decided, made } = decide(view, command, at)
  const events = withSavedFold(view, decided)
  mustFollow(view.state, events, cronMoveOf)
  return {
    events: events.map(({ type, data }) => ({ type, schema_version: cronEventVersion, data })),
    made,
  }
}

export const cronKind = ({ clock, plans, prepare, discard }: CronDeps): Kind<CronView, CronCommand, At> => ({
  ...foldedCronJob,
  async restore(view, stream, log) {
    Object.assign(view, await restoredCronJob(log, stream))
    return view.revision
  },
  decide: decideJob,
  envelope(view, command, stream) {
    const { principal, causation } = command
    const owner = command.type === 'CreateJob' ? command.userId : (view.created?.user_id ?? '')
    return { principal, owner, session_id: '', correlation_id: stream, causation_id: causation }
  },
  effects: (_stream, view) => ({
    at(command) {
      const moment = { now: clock.now(), plans }
      const run = runOf(view, command, moment)
      if (run !== undefined) return { ...moment, task: prepare(run.ticket, view, run.runId) }
      const ticket = ticketOf(command)
      if (ticket !== undefined) discard(ticket)
      return { ...moment, task: undefined }
    },
    reconcile() {},
    rest: () => (view.state === 'absent' || view.state === 'deleted' ? 'ended' : 'idle'),
    stop() {},
  }),
})
