// Follows the log for all jobs: when each is next due, which tasks belong to runs. All of this
// is only in memory: after a start, src/cron/resume.ts reads due times and runs from the read model.

import type { RunEnd } from '../contract/commands/cron-commands.ts'
import { cronEvents, type RecordedCronEvent } from '../contract/decoders/cron.ts'
import { isCronStream, jobIdOf } from '../contract/events/cron-events.ts'
import type { Recorded } from '../contract/stored.ts'
import { isTaskStream, taskStream } from '../contract/task-stream.ts'
import type { Alarm } from '../platform/time/alarm.ts'
import { endOf } from './task-ends.ts'

type Run = { jobId: string; runId: string }
type Deps = {
  alarm: Pick<Alarm, 'set' | 'remove'>
  onEnd: (run: Run, end: RunEnd) => void
}

export const createRunFollowing = ({ alarm, onEnd }: Deps) => {
  /** The runs whose tasks are unfinished, by the stream of the task. */
  const runs = new Map<string, Run>()
  const counts = { triggered: 0, completed: 0, failed: 0, skipped: 0, queued: 0 }

  const count = ({ type, data }: RecordedCronEvent): void => {
    if (type === 'CronJobTriggered') counts.triggered++
    if (type === 'CronJobCompleted') counts.completed++
    if (type === 'CronJobFailed') counts.failed++
    if (type === 'CronRunSkipped') counts.skipped += data.count ?? 1
    if (type === 'CronRunQueued') counts.queued++
  }
  const followJob = (event: RecordedCronEvent): void => {
    const { type, data, header } = event
    const jobId = jobIdOf(header.stream)
    count(event)
    if ('next' in data && data.next !== undefined) alarm.set(jobId, data.next.due)
    if (type === 'CronJobPaused' || type === 'CronJobEnded' || type === 'CronJobDeleted') alarm.remove(jobId)
    if (type === 'CronJobTriggered') runs.set(taskStream(data.task_id), { jobId, runId: data.run_id })
    // After a start, the end of a run may be stored although its task has ended before: no event of the task comes.
    const isEnd = type === 'CronJobCompleted' || type === 'CronJobFailed'
    if (isEnd && data.task_id !== undefined) runs.delete(taskStream(data.task_id))
  }
  const followTask = (event: Recorded): void => {
    const { stream } = event.header
    const run = runs.get(stream)
    const end = run === undefined ? undefined : endOf(event)
    if (run === undefined || end === undefined) return
    runs.delete(stream)
    onEnd(run, end)
  }

  return {
    counts,
    running: () => runs.size,
    clear: () => runs.clear(),
    /** Follows a run from the read model, for example one that began before this start. */
    add: (taskId: string, run: Run): void => void runs.set(taskStream(taskId), run),
    follow(events: Recorded[]): void {
      for (const event of events) {
        const { stream } = event.header
        if (isTaskStream(stream)) {
          if (runs.size > 0) followTask(event)
        } else if (isCronStream(stream)) {
          const ofJob = cronEvents.find(event)
          if (ofJob !== undefined) followJob(ofJob)
        }
      }
    },
  }
}
export type Following = ReturnType<typeof createRunFollowing>
