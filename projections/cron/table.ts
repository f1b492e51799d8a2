// Writes the cron read model: one row for each job, and one for each run.

import { cronEvents, type RecordedCronEvent } from '../../src/contract/decoders/cron.ts'
import { isCronStream, jobIdOf } from '../../src/contract/events/cron-events.ts'
import type { Eraser } from '../erasing/table.ts'
import type { Projection } from '../folding.ts'
import type { ReadStore } from '../store.ts'
import { runWriter } from './write-run.ts'

const jobWriter = (store: ReadStore) => {
  const create = store.prepare(
    `INSERT INTO cron_jobs (id, position, user_id, state, settings, secret_ref, maker_token, maker_user, created_at)
     VALUES (?, ?, ?, 'active', ?, ?, ?, ?, ?)`,
  )
  const change = store.prepare('UPDATE cron_jobs SET settings = ?, secret_ref = ? WHERE id = ?')
  const move = store.prepare('UPDATE cron_jobs SET state = ?, paused_reason = ? WHERE id = ?')
  const makeOver = store.prepare('UPDATE cron_jobs SET maker_token = ?, maker_user = ? WHERE id = ?')
  const plan = store.prepare('UPDATE cron_jobs SET next_at = ?, due_at = ? WHERE id = ?')

  return ({ position, type, header, data }: RecordedCronEvent): void => {
    const id = jobIdOf(header.stream)
    if (type === 'CronJobCreated') {
      const { user_id, settings, maker } = data
      const made = [maker.token_id, maker.user_id ?? null, Date.parse(header.time)]
      create.run(id, position, user_id, JSON.stringify(settings), settings.secret_ref ?? null, ...made)
    }
    if (type === 'CronJobChanged') {
      change.run(JSON.stringify(data.settings), data.settings.secret_ref ?? null, id)
    }
    if (type === 'CronJobPaused') move.run('paused', data.reason, id)
    if (type === 'CronJobResumed') move.run('active', null, id)
    if (type === 'CronJobResumed' && data.maker !== undefined) {
      makeOver.run(data.maker.token_id, data.maker.user_id ?? null, id)
    }
    if (type === 'CronJobEnded') move.run('ended', null, id)
    if (type === 'CronJobDeleted') move.run('deleted', null, id)
    if ('next' in data && data.next !== undefined) plan.run(data.next.at, data.next.due, id)
    if (type === 'CronJobPaused' || type === 'CronJobEnded' || type === 'CronJobDeleted') {
      plan.run(null, null, id)
    }
  }
}

export const jobEraser = (store: ReadStore): Eraser => {
  const removals = ['DELETE FROM cron_runs WHERE job_id = :id', 'DELETE FROM cron_jobs WHERE id = :id'].map(
    sql => store.prepare<[{ id: string }]>(sql),
  )
  return stream => {
    if (isCronStream(stream)) for (const remove of removals) remove.run({ id: jobIdOf(stream) })
  }
}

export const cronProjection = (store: ReadStore): Projection => {
  const writeJob = jobWriter(store)
  const writeRun = runWriter(store)
  let taken: RecordedCronEvent[] = []
  return {
    fold(events) {
      for (const stored of events) {
        const event = cronEvents.find(stored)
        if (event !== undefined) taken.push(event)
      }
    },
    write() {
      for (const event of taken) {
        writeJob(event)
        writeRun(event)
      }
      taken = []
    },
    forget() {
      taken = []
    },
  }
}
