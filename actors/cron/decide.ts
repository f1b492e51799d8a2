// Decides which events a command adds to a cron job, or refuses the command.
import type { CronCommand } from '../../src/contract/commands/cron-commands.ts'
import {
  type CronEvent,
  type CronSettings,
  cronStream,
  type Next,
  noValidToken,
} from '../../src/contract/events/cron-events.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { StreamAppend } from '../../src/contract/stored.ts'
import { type CronView, sameTimes } from '../../src/history/cron-job.ts'
import {
  beginning,
  endedUnless,
  endRun,
  isFull,
  type Moment,
  nextAfter,
  type Planned,
  type Run,
  runDue,
  runNow,
  runQueued,
} from './decide-run.ts'
import type { At } from './deps.ts'

type Of<T extends CronCommand['type']> = Extract<CronCommand, { type: T }>

const settingsOf = ({ state, settings, created }: CronView) => {
  if (state === 'absent' || state === 'deleted' || settings === undefined || created === undefined)
    throw new Refusal('CronJobNotFound')
  return { settings, jobId: created.job_id }
}

const create = (view: CronView, command: Of<'CreateJob'>, { now, plans }: Moment): Planned => {
  const { jobId, userId, settings, maker, enabled, digest, idempotencyKey: key } = command
  if (view.state !== 'absent') throw new Refusal('Conflict', { job_id: jobId })
  const next = enabled ? plans.next(jobId, settings, now) : undefined
  const request = { digest, ...(key === undefined ? {} : { idempotency_key: key }) }
  const data = { job_id: jobId, user_id: userId, settings, maker, ...(next && { next }), ...request }
  const created: CronEvent = { type: 'CronJobCreated', data }
  if (!enabled) return [created, { type: 'CronJobPaused', data: { reason: 'paused' } }]
  return [created, ...endedUnless(next, false)]
}

const nextOf = (view: CronView, settings: CronSettings, at: Moment): Next | undefined => {
  if (isFull({ ...view, settings })) return undefined
  const keeps = view.settings !== undefined && sameTimes(view.settings, settings)
  return nextAfter(keeps ? view : { ...view, done: [] }, at, settings, at.now)
}

const paused: CronEvent = { type: 'CronJobPaused', data: { reason: 'paused' } }

const change = (view: CronView, command: Of<'ChangeJob'>, at: Moment): Planned => {
  const { settings, enabled, maker } = command
  settingsOf(view)
  const next = nextOf(view, settings, at)
  const isOn = enabled ?? view.state !== 'paused'
  const changed: CronEvent = {
    type: 'CronJobChanged',
    data: { settings, ...(isOn && view.state === 'active' && next && { next }) },
  }
  if (!isOn) return view.state === 'paused' ? [changed] : [changed, paused]
  if (view.state !== 'active' && next !== undefined) {
    return [changed, { type: 'CronJobResumed', data: { next, ...(maker && { maker }) } }]
  }
  if (view.state !== 'active') return [changed]
  return [changed, ...endedUnless(next, isFull({ ...view, settings }))]
}

const resume = (view: CronView, { maker }: Of<'ResumeJob'>, at: Moment): Planned => {
  const { jobId, settings } = settingsOf(view)
  if (view.state === 'active') return []
  const next = nextOf(view, settings, at)
  if (view.state === 'ended' && next === undefined) {
    const words = 'the schedule of this job has no further time'
    const hint = 'Change its schedule, `ends_at` or `max_runs`.'
    throw new Refusal('Conflict', { job_id: jobId, state: view.state }, words, { hint })
  }
  const resumed: CronEvent = {
    type: 'CronJobResumed',
    data: { ...(next && { next }), ...(maker && { maker }) },
  }
  return [resumed, ...endedUnless(next, isFull(view))]
}

/**
 * Goes on with the time that was next before the pause, if it has passed: `missed` decides what becomes of it and of the times
 * since. A time that lies ahead is planned anew, since the clock may have been ahead before the pause.
 */
const goOn = (view: CronView, at: Moment): Planned => {
  const { settings } = settingsOf(view)
  if (view.state !== 'paused' || view.pausedReason !== noValidToken) return []
  const latest = Math.min(at.now, settings.ends_at ?? Number.POSITIVE_INFINITY)
  const hasPassed = view.held !== undefined && view.held.at <= latest && !isFull(view)
  const next = hasPassed ? view.held : nextOf(view, settings, at)
  const resumed: CronEvent = { type: 'CronJobResumed', data: { ...(next && { next }) } }
  return [resumed, ...endedUnless(next, isFull(view))]
}

const pause = (view: CronView, { reason }: Of<'PauseJob'>): Planned => {
  settingsOf(view)
  const isPaused = view.state === 'paused' && (view.pausedReason === reason || reason === noValidToken)
  return isPaused ? [] : [{ type: 'CronJobPaused', data: { reason } }]
}

/** The events of a command, with the place of a run that begins. Pure. */
export const plan = (view: CronView, command: CronCommand, at: Moment): Planned => {
  switch (command.type) {
    case 'CreateJob':
      return create(view, command, at)
    case 'ChangeJob':
      return change(view, command, at)
    case 'PauseJob':
      return pause(view, command)
    case 'GoOn':
      return goOn(view, at)
    case 'ResumeJob':
      return resume(view, command, at)
    case 'DeleteJob':
      settingsOf(view)
      return [{ type: 'CronJobDeleted', data: { by: command.principal } }]
    case 'RunDue':
      return runDue(view, command, at)
    case 'RunNow':
      settingsOf(view)
      return runNow(view, command, at)
    case 'RunQueued':
      return runQueued(view, command)
    case 'EndRun':
      return endRun(view, command)
  }
}

/** The run that a command begins, if it begins one: `at.task` must then be its task. */
export const runOf = (view: CronView, command: CronCommand, at: Moment): Run | undefined => {
  for (const one of plan(view, command, at)) if (one.type === 'begins') return one.run
  return undefined
}

export type CronDecision = { events: CronEvent[]; made: StreamAppend[] }

/** The events of a command, and the task of the run that begins with them. Pure. */
export const decide = (view: CronView, command: CronCommand, at: At): CronDecision => {
  const made: StreamAppend[] = []
  const events = plan(view, command, at).map((one, n): CronEvent => {
    if (one.type !== 'begins') return one
    const { task } = at
    if (task === undefined) throw new Error('a run begins, and its task was not prepared')
    const stream = cronStream(view.created?.job_id ?? '')
    if ('made' in task) made.push({ ...task.made, causation_id: `${stream}@${view.revision + 1 + n}` })
    return beginning(view, one.run, task)
  })
  return { events, made }
}
