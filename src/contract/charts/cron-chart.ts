// The lifecycle of a cron job as a statechart. Only this file defines the moves. A job ends when its schedule has no
// further time; a change of the schedule can resume it. Runs that began before a job was deleted still end.
import { type Chart, type Places, tableOf } from './chart.ts'

export const cronChart = {
  id: 'cron',
  initial: 'absent',
  states: {
    absent: { on: { CronJobCreated: 'active' } },
    active: {
      on: {
        CronJobChanged: 'active',
        CronJobReplanned: 'active',
        CronJobTriggered: 'active',
        CronRunSkipped: 'active',
        CronRunQueued: 'active',
        CronJobCompleted: 'active',
        CronJobFailed: 'active',
        CronFoldSaved: 'active',
        CronJobPaused: 'paused',
        CronJobEnded: 'ended',
        CronJobDeleted: 'deleted',
      },
    },
    paused: {
      on: {
        CronJobChanged: 'paused',
        CronJobTriggered: 'paused',
        CronRunQueued: 'paused',
        CronJobCompleted: 'paused',
        CronJobFailed: 'paused',
        CronFoldSaved: 'paused',
        CronJobPaused: 'paused',
        CronJobResumed: 'active',
        CronJobDeleted: 'deleted',
      },
    },
    ended: {
      on: {
        CronJobChanged: 'ended',
        CronJobTriggered: 'ended',
        CronRunQueued: 'ended',
        CronJobCompleted: 'ended',
        CronJobFailed: 'ended',
        CronFoldSaved: 'ended',
        CronJobPaused: 'paused',
        CronJobResumed: 'active',
        CronJobDeleted: 'deleted',
      },
    },
    deleted: { on: { CronJobCompleted: 'deleted', CronJobFailed: 'deleted' } },
  },
} as const satisfies Chart

export type CronState = Places<typeof cronChart>

const table = tableOf(cronChart)

/** The events that may follow in a state. */
export const cronMovesFrom = (state: CronState): string[] => [...(table.get(state)?.keys() ?? [])]

/** The state after an event; undefined when the chart has no such move. */
export const cronMoveOf = (state: CronState, type: string): CronState | undefined =>
  table.get(state)?.get(type)?.[0]?.to as CronState | undefined

/** The state after an event. Throws when the chart has no such move. */
export const cronStateAfter = (state: CronState, type: string): CronState => {
  const next = cronMoveOf(state, type)
  if (next === undefined) throw new Error(`the event ${type} is not allowed in the state ${state}`)
  return next
}
