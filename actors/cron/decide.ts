// Decides which events a command adds to a cron job, or refuses the command.
import type { CronCommand } from '../../src/contract/cron-commands.ts'
import { type CronEvent, type CronSettings, type Next, noValidToken } from '../../src/contract/cron-events.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { type CronView, sameTimes } from '../../src/history/cron-job.ts'
import {
  type CronDecision,
  endedUnless,
  endRun,
  isFull,
  nextAfter,
  only,
  runDue,
  runNow,
  runQueued,
} from './decide-run.ts'
import type { CronDeps } from './deps.ts'

type Of<T extends CronCommand['type']> = Extract<CronCommand, { type: T }>

const settingsOf = ({ state, settings, created }: CronView) => {
  if (state === 'absent' || state === 'deleted' || settings === undefined || created === undefined)
    throw new Refusal('CronJobNotFound')
  return { settings, jobId: created.job_id }
}

const create = ({ clock, plans }: CronDeps, view: CronView, command: Of<'CreateJob'>): CronDecision => {
  const { jobId, userId, settings, maker, enabled, digest, idempotencyKey: key } = command
  if (view.state !== 'absent') throw new Refusal('Conflict', { job_id: jobId })
  const next = enabled ? plans.next(jobId, settings, clock.now()) : undefined
  const request = { digest, ...(key === undefined ? {} : { idempotency_key: key }) }
  const data = { job_id: jobId, user_id: userId, settings, maker, ...(next && { next }), ...request }
  const created: CronEvent = { type: 'CronJobCreated', data }
  if (!enabled) return only(created, { type: 'CronJobPaused', data: { reason: 'paused' } })
  return only(created, ...endedUnless(next, false))
}

const nextOf = (deps: CronDeps, view: CronView, settings: CronSettings): Next | undefined => {
  if (isFull({ ...view, settings })) return undefined
  const keeps = view.settings !== undefined && sameTimes(view.settings, settings)
  return nextAfter(keeps ? view : { ...view, done: [] }, deps, settings, deps.clock.now())
}

const paused: CronEvent = { type: 'CronJobPaused', data: { reason: 'paused' } }

const change = (deps: CronDeps, view: CronView, command: Of<'ChangeJob'>): CronDecision => {
  const { settings, enabled, maker } = command
  settingsOf(view)
  const next = nextOf(deps, view, settings)
  const isOn = enabled ?? view.state !== 'paused'
  const changed: CronEvent = {
    type: 'CronJobChanged',
    data: { settings, ...(isOn && view.state === 'active' && next && { next }) },
  }
  if (!isOn) return view.state === 'paused' ? only(changed) : only(changed, paused)
  if (view.state !== 'active' && next !== undefined) {
    return only(changed, { type: 'CronJobResumed', data: { next, ...(maker && { maker }) } })
  }
  if (view.state !== 'active') return only(changed)
  return only(changed, ...endedUnless(next, isFull({ ...view, settings })))
}

const resume = (deps: CronDeps, view: CronView, { maker }: Of<'ResumeJob'>): CronDecision => {
  const { jobId, settings } = settingsOf(view)
  if (view.state === 'active') return only()
  const next = nextOf(deps, view, settings)
  if (view.state === 'ended' && next === undefined) {
    const words = 'the schedule of this job has no further time: change its schedule, `ends_at` or `max_runs`'
    throw new Refusal('Conflict', { job_id: jobId, state: view.state }, words)
  }
  const resumed: CronEvent = {
    type: 'CronJobResumed',
    data: { ...(next && { next }), ...(maker && { maker }) },
  }
  return only(resumed, ...endedUnless(next, isFull(view)))
}

/**
 * Goes on with the time that was next before the pause, if it has passed: `missed` decides what becomes of it and of the times
 * since. A time that lies ahead is planned anew, since the clock may have been ahead before the pause.
 */
const goOn = (deps: CronDeps, view: CronView): CronDecision => {
  const { settings } = settingsOf(view)
  if (view.state !== 'paused' || view.pausedReason !== noValidToken) return only()
  const latest = Math.min(deps.clock.now(), settings.ends_at ?? Number.POSITIVE_INFINITY)
  const hasPassed = view.held !== undefined && view.held.at <= latest && !isFull(view)
  const next = hasPassed ? view.held : nextOf(deps, view, settings)
  const resumed: CronEvent = { type: 'CronJobResumed', data: { ...(next && { next }) } }
  return only(resumed, ...endedUnless(next, isFull(view)))
}

const pause = (view: CronView, reason: string): CronDecision => {
  settingsOf(view)
  const isPaused = view.state === 'paused' && (view.pausedReason === reason || reason === noValidToken)
  return isPaused ? only() : only({ type: 'CronJobPaused', data: { reason } })
}

export const decide = (deps: CronDeps, view: CronView, command: CronCommand): CronDecision => {
  switch (command.type) {
    case 'CreateJob':
      return create(deps, view, command)
    case 'ChangeJob':
      return change(deps, view, command)
    case 'PauseJob':
      return pause(view, command.reason)
    case 'GoOn':
      return goOn(deps, view)
    case 'ResumeJob':
      return resume(deps, view, command)
    case 'DeleteJob':
      settingsOf(view)
      return only({ type: 'CronJobDeleted', data: { by: command.principal } })
    case 'RunDue':
      return runDue(view, deps, command)
    case 'RunNow':
      settingsOf(view)
      return runNow(view, deps, command)
    case 'RunQueued':
      return runQueued(view, deps, command.ticket)
    case 'EndRun':
      return endRun(view, command.runId, command.end)
  }
}
