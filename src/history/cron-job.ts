// Folds the events of a cron job into its view. The view holds only what decisions need, so no runs that have ended.

import { type CronState, cronStateAfter } from '../contract/charts/cron-chart.ts'
import type { RecordedCronEvent } from '../contract/decoders/cron.ts'
import {
  type CronEvent,
  type CronEventData,
  type CronMaker,
  type CronSettings,
  type Done,
  type Next,
  noValidToken,
} from '../contract/events/cron-events.ts'

type RunningRun = { taskId: string; scheduledAt: number; startedAt: number }
type QueuedRun = { runId: string; scheduledAt: number; manual: boolean }

export type CronView = {
  state: CronState
  revision: number
  created: Pick<CronEventData<'CronJobCreated'>, 'job_id' | 'user_id'> | undefined
  settings: CronSettings | undefined
  /** The revision of the event that holds the settings. */
  settingsAt: number
  /** The revision after which the newest saved fold shows the job; -1: there is none. */
  savedAt: number
  maker: CronMaker | undefined
  pausedReason: string | undefined
  next: Next | undefined
  /** The next time when the job was paused because its maker has no valid token. */
  held: Next | undefined
  /** The number of runs that the schedule began, failed to begin, or put into the queue. `max_runs` limits it. */
  runs: number
  running: Map<string, RunningRun>
  queue: QueuedRun[]
  /** Times that have had their runs, in the order of the runs. While the clock was ahead, they may lie in the future. */
  done: readonly Done[]
}

export const emptyCronJob = (): CronView => ({
  state: 'absent',
  revision: -1,
  created: undefined,
  settings: undefined,
  settingsAt: -1,
  savedAt: -1,
  maker: undefined,
  pausedReason: undefined,
  next: undefined,
  held: undefined,
  runs: 0,
  running: new Map(),
  queue: [],
  done: [],
})

/** The most spans of times that are remembered. A span ends where times are missed, or the clock is set back. */
const spans = 16

/** Remembers that a time of the schedule has had its run, or had to be skipped. `follows`: the time after it. */
const markDone = (view: CronView, at: number, follows: number | undefined): void => {
  const last = view.done.at(-1)
  const isNext = last?.follows === at
  const span = { first: isNext ? last.first : at, last: at, ...(follows === undefined ? {} : { follows }) }
  const before = isNext ? view.done.slice(0, -1) : view.done
  view.done = [...(before.length < spans ? before : withoutEarliest(before)), span]
}
/** Later spans may lie in the future, and their times must not run again. */
const withoutEarliest = (done: readonly Done[]): Done[] => {
  const earliest = done.reduce((one, other) => (other.last < one.last ? other : one))
  return done.filter(span => span !== earliest)
}

type OfSchedule = { scheduled_at: number; next?: Next; manual?: true; queued?: true; reason?: string }
const applyTime = (view: CronView, { type, data }: CronEvent): void => {
  const isTime =
    type === 'CronJobTriggered' ||
    type === 'CronRunQueued' ||
    (type === 'CronRunSkipped' && data.reason !== 'missed') ||
    (type === 'CronJobFailed' && data.task_id === undefined)
  if (!isTime) return
  const { scheduled_at, next, manual, queued } = data as OfSchedule
  if (manual !== true && queued !== true) markDone(view, scheduled_at, next?.at)
}

const timing = ({ schedule, every_seconds, at, timezone, anchor }: CronSettings): string =>
  JSON.stringify([schedule, every_seconds, at, timezone, anchor])
/** Whether two settings have the same times. */
export const sameTimes = (one: CronSettings, other: CronSettings): boolean => timing(one) === timing(other)

const countsAsRun = ({ manual, queued }: { manual?: true; queued?: true }): number =>
  manual === true || queued === true ? 0 : 1

const applyRun = (view: CronView, event: CronEvent, at: number): void => {
  switch (event.type) {
    case 'CronJobTriggered': {
      const { run_id, task_id, scheduled_at } = event.data
      view.running.set(run_id, { taskId: task_id, scheduledAt: scheduled_at, startedAt: at })
      view.queue = view.queue.filter(({ runId }) => runId !== run_id)
      view.runs += countsAsRun(event.data)
      return
    }
    case 'CronRunQueued': {
      const { run_id, scheduled_at, manual } = event.data
      view.queue = [...view.queue, { runId: run_id, scheduledAt: scheduled_at, manual: manual === true }]
      view.runs += manual === true ? 0 : 1
      return
    }
    case 'CronJobFailed':
    case 'CronJobCompleted': {
      const isNew = event.type === 'CronJobFailed' && event.data.task_id === undefined
      if (isNew) view.runs += countsAsRun(event.data)
      view.running.delete(event.data.run_id)
      view.queue = view.queue.filter(({ runId }) => runId !== event.data.run_id)
    }
  }
}

/** Applies one event to the view. */
export const evolveCronJob = (view: CronView, event: RecordedCronEvent): CronView => {
  const { type, data, header } = event
  view.state = cronStateAfter(view.state, type)
  view.revision = header.revision
  if (type === 'CronJobCreated') {
    view.created = { job_id: data.job_id, user_id: data.user_id }
    view.maker = data.maker
  }
  if (type === 'CronJobCreated' || type === 'CronJobChanged') {
    if (view.settings !== undefined && !sameTimes(view.settings, data.settings)) {
      view.done = []
      view.held = undefined
    }
    view.settings = data.settings
    view.settingsAt = header.revision
  }
  if (type === 'CronFoldSaved') view.savedAt = data.fold.revision
  if (type === 'CronJobResumed') view.maker = data.maker ?? view.maker
  view.pausedReason =
    type === 'CronJobPaused' ? data.reason : view.state === 'paused' ? view.pausedReason : undefined
  if ('next' in data && data.next !== undefined) view.next = data.next
  if (type === 'CronJobPaused') view.held = data.reason === noValidToken ? view.next : undefined
  if (type === 'CronJobResumed') view.held = undefined
  if (view.state !== 'active') view.next = undefined
  applyTime(view, event)
  applyRun(view, event, Date.parse(header.time))
  if (view.state === 'deleted') view.queue = []
  return view
}
