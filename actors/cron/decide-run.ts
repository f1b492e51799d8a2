// Decides which events follow when a time of the schedule is due, when a caller wants a run, when a waiting run may
// begin, and when a run has ended.
import type { CronCommand } from '../../src/contract/commands/cron-commands.ts'
import type { CronEvent, CronSettings, Next } from '../../src/contract/events/cron-events.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { CronView } from '../../src/history/cron-job.ts'
import type { At, RunTask } from './deps.ts'

/** What a plan knows: all but the task. */
export type Moment = Pick<At, 'now' | 'plans'>

/** A run that begins. `decide` puts the event of its task, or of its refusal, in its place. */
export type Run = {
  runId: string
  ticket: string
  scheduledAt: number
  manual?: true
  queued?: true
  next?: Next
  key?: string | undefined
}
/** What is decided before the task of a run is known: events, and a run that begins at its place among them. */
export type Planned = (CronEvent | { type: 'begins'; run: Run })[]

/** The largest number of runs that may wait in the queue of one job. */
const queuedAtMost = 100

/** The event of a run that begins with this task, or that is refused because the task is. */
export const beginning = (
  { settings }: CronView,
  { runId, scheduledAt, manual, queued, next, key }: Run,
  task: RunTask,
): CronEvent => {
  const data = {
    run_id: runId,
    scheduled_at: scheduledAt,
    name: settings?.name ?? '',
    ...(manual && { manual }),
    ...(queued && { queued }),
    ...(next && { next }),
    ...(key === undefined ? {} : { idempotency_key: key }),
  }
  if ('made' in task) return { type: 'CronJobTriggered', data: { ...data, task_id: task.taskId } }
  return { type: 'CronJobFailed', data: { ...data, duration_ms: 0, error: task.error, reason: task.reason } }
}

/**
 * The event that ends the job, if no further time of the schedule follows: the job has reached `max_runs` (`isFull`),
 * or the schedule has no more times.
 */
export const endedUnless = (next: Next | undefined, isFull: boolean): CronEvent[] =>
  next === undefined
    ? [{ type: 'CronJobEnded', data: { reason: isFull ? 'max_runs' : 'no_more_times' } }]
    : []

/** Tells whether a run whose time has come begins, waits in the queue, or is skipped for a reason. */
const outcomeAt = ({ settings, running, queue }: CronView): 'begins' | 'waits' | 'overlap' | 'queue_full' => {
  const overlap = settings?.overlap ?? 'skip'
  const isBusy = running.size > 0 || queue.length > 0
  if (!isBusy || overlap === 'allow') return 'begins'
  if (overlap === 'skip') return 'overlap'
  return queue.length < queuedAtMost ? 'waits' : 'queue_full'
}

/** The first time after a moment that has not had its run; undefined when none is left. */
export const nextAfter = (
  { created, done }: CronView,
  { plans }: Pick<At, 'plans'>,
  settings: CronSettings,
  after: number,
): Next | undefined => {
  let next = plans.next(created?.job_id ?? '', settings, after)
  for (;;) {
    const { at } = next ?? {}
    const span = at === undefined ? undefined : done.find(({ first, last }) => first <= at && at <= last)
    if (span === undefined) return next
    next = plans.next(created?.job_id ?? '', settings, span.last)
  }
}

type TimedRun = { runId: string; scheduledAt: number; following: Next | undefined }

/**
 * Decides what happens at a time of the schedule, and ends the job when no time follows. A skipped time is no run, so
 * it does not count for `max_runs`.
 */
const atTime = (view: CronView, { runId, scheduledAt, following }: TimedRun): Planned => {
  const outcome = outcomeAt(view)
  const isRun = outcome === 'begins' || outcome === 'waits'
  const isLast = isRun && isFull(view, 1)
  const next = isLast ? undefined : following
  const data = { run_id: runId, scheduled_at: scheduledAt, ...(next && { next }) }
  const decide = (): Planned[number] => {
    if (outcome === 'begins')
      return { type: 'begins', run: { runId, ticket: runId, scheduledAt, ...(next && { next }) } }
    if (outcome === 'waits') return { type: 'CronRunQueued', data }
    return { type: 'CronRunSkipped', data: { ...data, reason: outcome } }
  }
  return [decide(), ...endedUnless(next, isLast)]
}

/** Whether the job has reached `max_runs` after this many further runs of the schedule. */
export const isFull = ({ runs, settings }: CronView, more = 0): boolean =>
  runs + more >= (settings?.max_runs ?? Number.POSITIVE_INFINITY)

/**
 * The record of the times that were missed; undefined: no time was missed. With `missed: "run_once"`, the newest missed
 * time is not in the record: its run begins, waits or is skipped.
 */
const missedRuns = (
  view: CronView,
  { runId, skipId, seenAt }: Extract<CronCommand, { type: 'RunDue' }>,
  at: Moment,
): Planned | undefined => {
  const { settings, next, created } = view
  if (settings === undefined || next === undefined || created === undefined) return undefined
  const missed = at.plans.missed(settings, next.at, seenAt)
  if (missed === undefined) return undefined
  const { first, last, count } = missed
  const following = nextAfter(view, at, settings, last)
  const isDone = view.done.some(span => span.first <= last && last <= span.last)
  const runsOnce = settings.missed === 'run_once' && !isDone
  const [until, skipped] = runsOnce ? [last, count - 1] : [last, count]
  const span = skipped > 1 ? { until, count: skipped } : {}
  const record: CronEvent = {
    type: 'CronRunSkipped',
    data: {
      run_id: skipId,
      scheduled_at: first,
      reason: 'missed',
      ...span,
      ...(following && { next: following }),
    },
  }
  if (!runsOnce) return [record, ...endedUnless(following, false)]
  const records = skipped > 0 ? [record] : []
  return [...records, ...atTime(view, { runId, scheduledAt: last, following })]
}

/** A job whose next time was planned by a clock that was ahead gets an earlier one, when the clock has been put right. */
const replanned = (view: CronView, settings: CronSettings, planned: Next, at: Moment): Planned => {
  const next = nextAfter(view, at, settings, at.now)
  return next !== undefined && next.at < planned.at ? [{ type: 'CronJobReplanned', data: { next } }] : []
}

export const runDue = (
  view: CronView,
  command: Extract<CronCommand, { type: 'RunDue' }>,
  at: Moment,
): Planned => {
  const { state, settings, next, created } = view
  if (state !== 'active' || next === undefined || settings === undefined || created === undefined) return []
  if (next.due > at.now) return replanned(view, settings, next, at)
  const missed = missedRuns(view, command, at)
  if (missed !== undefined) return missed
  const following = nextAfter(view, at, settings, next.at)
  return atTime(view, { runId: command.runId, scheduledAt: next.at, following })
}

const conflict = (words: string, view: CronView): Refusal =>
  new Refusal('Conflict', { job_id: view.created?.job_id, state: view.state }, words, {
    hint: 'Try again when a run has ended.',
  })

export const runNow = (
  view: CronView,
  { runId, idempotencyKey: key }: Extract<CronCommand, { type: 'RunNow' }>,
  at: Moment,
): Planned => {
  const { overlap } = view.settings ?? {}
  const isBusy = view.running.size > 0 || view.queue.length > 0
  const run = { runId, ticket: runId, scheduledAt: at.now, manual: true as const, key }
  if (!isBusy || overlap === 'allow') return [{ type: 'begins', run }]
  if (overlap !== 'queue') {
    throw conflict('a run of this job works or waits, and the job has `overlap: "skip"`', view)
  }
  if (view.queue.length >= queuedAtMost) {
    throw conflict(`${queuedAtMost} runs of this job wait already`, view)
  }
  const keyed = key === undefined ? {} : { idempotency_key: key }
  return [
    {
      type: 'CronRunQueued',
      data: { run_id: runId, scheduled_at: run.scheduledAt, manual: true, ...keyed },
    },
  ]
}

/** Begins the first waiting run, unless another run works. While a job is paused, waiting runs stay queued. */
export const runQueued = (
  view: CronView,
  { ticket }: Extract<CronCommand, { type: 'RunQueued' }>,
): Planned => {
  const [first] = view.queue
  if (first === undefined || view.running.size > 0 || view.state === 'paused') return []
  const { runId, scheduledAt, manual } = first
  const run = { runId, ticket, scheduledAt, queued: true as const }
  return [{ type: 'begins', run: manual ? { ...run, manual: true } : run }]
}

export const endRun = (
  view: CronView,
  { runId, end }: Extract<CronCommand, { type: 'EndRun' }>,
): CronEvent[] => {
  const run = view.running.get(runId)
  if (run === undefined) return []
  const data = {
    run_id: runId,
    task_id: run.taskId,
    scheduled_at: run.scheduledAt,
    name: view.settings?.name ?? '',
    duration_ms: Math.max(0, end.endedAt - run.startedAt),
  }
  if (end.status === 'completed') return [{ type: 'CronJobCompleted', data }]
  return [{ type: 'CronJobFailed', data: { ...data, error: end.error, reason: end.status } }]
}
