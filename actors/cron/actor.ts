// A cron job as an actor. It has no effects and no timers: the alarm (src/cron/alarm.ts) has one timer for all jobs,
// and the task of a run is an actor of its own. So an idle job leaves memory.
import { cronMoveOf } from '../../src/contract/cron-chart.ts'
import type { CronCommand } from '../../src/contract/cron-commands.ts'
import { type CronEvent, cronEventVersion } from '../../src/contract/cron-events.ts'
import { cronEvents } from '../../src/contract/decoders/cron.ts'
import { dueFold, restoredCronJob } from '../../src/history/cron-fold.ts'
import { type CronView, emptyCronJob, evolveCronJob } from '../../src/history/cron-job.ts'
import type { Kind } from '../runtime/kind.ts'
import { decide } from './decide.ts'
import type { CronDeps } from './deps.ts'
import { liveCronJob } from './live.ts'

/** Throws if the chart does not allow one of these events, which is a bug of the server. Nothing is stored then. */
const judge = ({ state }: CronView, events: CronEvent[]): void => {
  let at = state
  for (const { type } of events) {
    const next = cronMoveOf(at, type)
    if (next === undefined) {
      throw new Error(
        `a bug of the server: it decided ${type} in the state ${at}, where the chart forbids it`,
      )
    }
    at = next
  }
}

/** Adds a saved fold to the events when one is due. The fold shows the job as it was before these events. */
const withSavedFold = (view: CronView, events: CronEvent[]): CronEvent[] => {
  const fold = events.length === 0 ? undefined : dueFold(view)
  const isOver = events.some(({ type }) => type === 'CronJobDeleted')
  return fold === undefined || isOver ? events : [...events, { type: 'CronFoldSaved', data: { fold } }]
}

export const cronKind =
  (deps: CronDeps): Kind<CronView, CronCommand> =>
  stream => {
    const view = emptyCronJob()
    return {
      view,
      async restore(log) {
        Object.assign(view, await restoredCronJob(log, stream))
        return view.revision
      },
      run: inspect => liveCronJob.run(stream, { at: view.state }, inspect),
      evolve: event => evolveCronJob(view, cronEvents.read(event)),
      decide(command) {
        const { events: decided, made } = decide(deps, view, command)
        const events = withSavedFold(view, decided)
        judge(view, events)
        return {
          events: events.map(({ type, data }) => ({ type, schema_version: cronEventVersion, data })),
          made,
        }
      },
      envelope(command) {
        const { principal, causation } = command
        const owner = command.type === 'CreateJob' ? command.userId : (view.created?.user_id ?? '')
        return { principal, owner, session_id: '', correlation_id: stream, causation_id: causation }
      },
      reconcile() {},
      rest: () => (view.state === 'absent' || view.state === 'deleted' ? 'ended' : 'idle'),
      stop() {},
    }
  }
