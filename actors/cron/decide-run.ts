// Decides which events follow when a time of the schedule is due, when a caller wants a run, when a waiting run may
// begin, and when a run has ended.
import type { CronCommand, RunEnd } from '../../src/contract/cron-commands.ts'
import type { CronEvent, CronSettings, Next } from '../../src/contract/cron-events.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { StreamAppend } from '../../src/contract/stored.ts'
import type { CronView } from '../../src/history/cron-job.ts'
import type { CronDeps } from './deps.ts'

export type CronDecision = { events: CronEvent[]; made: StreamAppend[] }
export const only = (...events: CronEvent[]): CronDecision => ({ events, made: [] })

/** The largest number of runs that may wait in the queue of one job. */
const queuedAtMost = 100

type Run = {
  runId: string
  ticket: string
  scheduledAt: number
  manual?: true
  queued?: true
  next?: Next
  key?: string | undefined
}

/** The events of a run that begins now. `before`: how many events come before these in the append. */
const begin = (view: CronView, { prepare }: CronDeps, run: Run, before = 0): CronDecision => {
  const { runId, ticket, scheduledAt, manual, queued, next, key } = run
  const task = prepare(ticket, view, runId, view.revision + before + 1)
  const name = view.settings?.name ?? ''
  const data = {
    run_id: runId,
    scheduled_at: scheduledAt,
    name,
    ...(manual && { manual }),
    ...(queued && { queued }),
    ...(next && { next }),
    ...(key === undefined ? {} : { idempotency_key: key }),
  }
  if ('made' in task) {
    return {
      events: [{ type: 'CronJobTriggered', data: { ...data, task_id: task.taskId } }],
      made: [task.made],
    }
  }
  const { error, reason } = task
  return only({ type: 'CronJobFailed', data: { ...data, duration_ms: 0, error, reason } })
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
  { plans }: CronDeps,
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
 * it does not count for `max_runs`. `before`: the number of events that come before these in the append.
 */
const atTime = (view: CronView, deps: CronDeps, timed: TimedRun, before: number): CronDecision => {
  const { runId, scheduledAt, following } = timed
  const outcome = outcomeAt(view)
  const isRun = outcome === 'begins' || outcome === 'waits'
  const isLast = isRun && isFull(view, 1)
  const next = isLast ? undefined : following
  const data = { run_id: runId, scheduled_at: scheduledAt, ...(next && { next }) }
  const decide = (): CronDecision => {
    if (outcome === 'begins') {
      return begin(view, deps, { runId, ticket: runId, scheduledAt, ...(next && { next }) }, before)
    }
    if (outcome === 'waits') return only({ type: 'CronRunQueued', data })
    return only({ type: 'CronRunSkipped', data: { ...data, reason: outcome } })
  }
  const { events, made } = decide()
  return { events: [...events, ...endedUnless(next, isLast)], made }
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
  deps: CronDeps,
  { runId, skipId, seenAt }: Extract<CronCommand, { type: 'RunDue' }>,
): CronDecision | undefined => {
  const { settings, next, created } = view
  if (settings === undefined || next === undefined || created === undefined) return undefined
  const missed = deps.plans.missed(settings, next.at, seenAt)
  if (missed === undefined) return undefined
  const { first, last, count } = missed
  const following = nextAfter(view, deps, settings, last)
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
  if (!runsOnce) return only(record, ...endedUnless(following, false))
  const records = skipped > 0 ? [record] : []
  const { events, made } = atTime(view, deps, { runId, scheduledAt: last, following }, records.length)
  return { events: [...records, ...events], made }
}

/** A job whose next time was planned by a clock that was ahead gets an earlier one, when the clock has been put right. */
const replanned = (view: CronView, deps: CronDeps, settings: CronSettings, planned: Next): CronDecision => {
  const next = nextAfter(view, deps, settings, deps.clock.now())
  return next !== undefined && next.at < planned.at
    ? only({ type: 'CronJobReplanned', data: { next } })
    : only()
}

export const runDue = (
  view: CronView,
  deps: CronDeps,
  command: Extract<CronCommand, { type: 'RunDue' }>,
): CronDecision => {
  const { state, settings, next, created } = view
  if (state !== 'active' || next === undefined || settings === undefined || created === undefined)
    return only()
  if (next.due > deps.clock.now()) return replanned(view, deps, settings, next)
  const missed = missedRuns(view, deps, command)
  if (missed !== undefined) return missed
  const following = nextAfter(view, deps, settings, next.at)
  return atTime(view, deps, { runId: command.runId, scheduledAt: next.at, following }, 0)
}

const conflict = (words: string, view: CronView): Refusal =>
  new Refusal('Conflict', { job_id: view.created?.job_id, state: view.state }, words)

export const runNow = (
  view: CronView,
  deps: CronDeps,
  { runId, idempotencyKey: key }: Extract<CronCommand, { type: 'RunNow' }>,
): CronDecision => {
  const { overlap } = view.settings ?? {}
  const isBusy = view.running.size > 0 || view.queue.length > 0
  const run = { runId, ticket: runId, scheduledAt: deps.clock.now(), manual: true as const, key }
  if (!isBusy || overlap === 'allow') return begin(view, deps, run)
  if (overlap !== 'queue') {
    const words = 'a run of this job works or waits, and the job has `overlap: "skip"`: try again later'
    throw conflict(words, view)
  }
  if (view.queue.length >= queuedAtMost) {
    throw conflict(`${queuedAtMost} runs of this job wait already`, view)
  }
  return only({
    type: 'CronRunQueued',
    data: {
      run_id: runId,
      scheduled_at: run.scheduledAt,
      manual: true,
      ...(key === undefined ? {} : { idempotency_key: key }),
    },
  })
}

/** Begins the first waiting run, unless another run works. While a job is paused, waiting runs stay queued. */
export const runQueued = (view: CronView, deps: CronDeps, ticket: string): CronDecision => {
  const [first] = view.queue
  if (first === undefined || view.running.size > 0 || view.state === 'paused') return only()
  const { runId, scheduledAt, manual } = first
  const run = { runId, ticket, scheduledAt, queued: true as const }
  return begin(view, deps, manual ? { ...run, manual: true } : run)
}

export const endRun = (view: CronView, runId: string, end: RunEnd): CronDecision => {
  const run = view.running.get(runId)
  if (run === undefined) return only()
  const data = {
    run_id: runId,
    task_id: run.taskId,
    scheduled_at: run.scheduledAt,
    name: view.settings?.name ?? '',
    duration_ms: Math.max(0, end.endedAt - run.startedAt),
  }
  if (end.status === 'completed') return only({ type: 'CronJobCompleted', data })
  return only({ type: 'CronJobFailed', data: { ...data, error: end.error, reason: end.status } })
}
