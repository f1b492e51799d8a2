// Makes and reads the saved folds of cron jobs. A saved fold is an event that holds the view of its job, so a job that
// has run a million times is loaded from a few hundred events. docs/decisions/61 says why it is an event.

import { cronEvents } from '../contract/decoders/cron.ts'
import type { SavedCronFold } from '../contract/events/cron-events.ts'
import type { Log } from '../contract/stored.ts'
import { type CronView, emptyCronJob } from './cron-job.ts'

/**
 * Raise this number whenever the fold gives another view for the same events: saved folds with another number are not
 * used.
 */
const foldVersion = 2
/** At least this many events lie between two saved folds. */
export const savedEvery = 200
/** How many events may follow the newest saved fold of a stream. An append has at most a few events. */
const within = savedEvery + 50

/** The saved fold that is due with the next events of a job; undefined when no fold is due. */
export const dueFold = (view: CronView): SavedCronFold | undefined => {
  const { state, created, maker, revision, savedAt, pausedReason, next } = view
  if (state === 'absent' || state === 'deleted' || created === undefined || maker === undefined)
    return undefined
  if (revision - savedAt < savedEvery) return undefined
  return {
    version: foldVersion,
    revision,
    settings_at: view.settingsAt,
    job_id: created.job_id,
    user_id: created.user_id,
    state,
    maker,
    ...(pausedReason === undefined ? {} : { paused_reason: pausedReason }),
    ...(next === undefined ? {} : { next }),
    runs: view.runs,
    running: [...view.running].map(([run_id, { taskId, scheduledAt, startedAt }]) => ({
      run_id,
      task_id: taskId,
      scheduled_at: scheduledAt,
      started_at: startedAt,
    })),
    queue: view.queue.map(({ runId, scheduledAt, manual }) => ({
      run_id: runId,
      scheduled_at: scheduledAt,
      manual,
    })),
    done: [...view.done],
    ...(view.held === undefined ? {} : { held: view.held }),
  }
}

const viewOf = (fold: SavedCronFold): CronView => ({
  state: fold.state,
  revision: fold.revision,
  created: { job_id: fold.job_id, user_id: fold.user_id },
  settings: undefined,
  settingsAt: fold.settings_at,
  savedAt: fold.revision,
  maker: fold.maker,
  pausedReason: fold.paused_reason,
  next: fold.next,
  runs: fold.runs,
  running: new Map(
    fold.running.map(({ run_id, task_id, scheduled_at, started_at }) => [
      run_id,
      { taskId: task_id, scheduledAt: scheduled_at, startedAt: started_at },
    ]),
  ),
  queue: fold.queue.map(({ run_id, scheduled_at, manual }) => ({
    runId: run_id,
    scheduledAt: scheduled_at,
    manual,
  })),
  done: fold.done,
  held: fold.held,
})

type Reading = Pick<Log, 'readStream' | 'revisionOf'>

const newestFold = async (log: Reading, stream: string): Promise<SavedCronFold | undefined> => {
  let newest: SavedCronFold | undefined
  for await (const page of log.readStream(stream, Math.max(-1, log.revisionOf(stream) - within))) {
    for (const { type, data } of page.map(cronEvents.read)) {
      if (type === 'CronFoldSaved' && data.fold.version === foldVersion) newest = data.fold
    }
  }
  return newest
}

/** The view of a job from the newest saved fold of its stream; the empty view when no saved fold can be used. */
export const restoredCronJob = async (log: Reading, stream: string): Promise<CronView> => {
  const fold = log.revisionOf(stream) < savedEvery ? undefined : await newestFold(log, stream)
  if (fold === undefined) return emptyCronJob()
  const view = viewOf(fold)
  for await (const [event] of log.readStream(stream, fold.settings_at - 1)) {
    if (event === undefined) break
    const { type, data } = cronEvents.read(event)
    if (type !== 'CronJobCreated' && type !== 'CronJobChanged') break
    return { ...view, settings: data.settings }
  }
  return emptyCronJob()
}
