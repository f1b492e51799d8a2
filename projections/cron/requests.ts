// Keeps the requests that made cron jobs or runs, so that a repeated request finds what its first try has made.
import { jobIdOf } from '../../src/contract/cron-events.ts'
import type { RecordedCronEvent } from '../../src/contract/decoders/cron.ts'
import type { ReadStore } from '../store.ts'

/** An earlier request: the id of the job or run that it made, and the digest of its body. */
export type CronRequestRow = { id: string; digest: string; position: number; time: number }
/** `subject`: the job in which a request triggers a run; empty for a request that creates a job. */
export type CronRequestPlace = { principal: string; subject: string }

/** The digest of a request that triggers a run: it has no body. */
export const digestOfTrigger = ''

type Made = { subject: string; key: string | undefined; digest: string; id: string }

/** Reads from an event which request caused it. Undefined: no request did. */
const requestOf = ({ type, header, data }: RecordedCronEvent): Made | undefined => {
  if (type === 'CronJobCreated') {
    const { digest, idempotency_key: key, job_id: id } = data
    return { subject: '', key, digest, id }
  }
  const isRun = type === 'CronJobTriggered' || type === 'CronRunQueued' || type === 'CronJobFailed'
  // The task of a run that waited is created later, without a request.
  if (!isRun || data.manual !== true || ('queued' in data && data.queued === true)) return undefined
  const { idempotency_key: key, run_id: id } = data
  return { subject: jobIdOf(header.stream), key, digest: digestOfTrigger, id }
}

export const requestWriter = (store: ReadStore) => {
  const insert = store.prepare(
    `INSERT INTO cron_requests (principal, subject, key, digest, made, position, time)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  return (event: RecordedCronEvent): void => {
    const made = requestOf(event)
    if (made === undefined) return
    const { subject, key = null, digest, id } = made
    const { principal, time } = event.header
    insert.run(principal, subject, key, digest, id, event.position, Date.parse(time))
  }
}

export const createCronRequestRows = (store: ReadStore) => {
  const columns = 'made AS id, digest, position, time'
  const byKey = store.prepare<[CronRequestPlace & { key: string }], CronRequestRow>(
    `SELECT ${columns} FROM cron_requests WHERE principal = :principal AND subject = :subject AND key = :key
     ORDER BY position DESC LIMIT 1`,
  )
  const byBody = store.prepare<[CronRequestPlace & { digest: string; since: number }], CronRequestRow>(
    `SELECT ${columns} FROM cron_requests WHERE principal = :principal AND subject = :subject AND digest = :digest
       AND key IS NULL AND time >= :since ORDER BY position`,
  )
  return {
    /** The newest request with this key. */
    byKey: (place: CronRequestPlace, key: string) => byKey.get({ ...place, key }),
    /** The requests without a key, with the same body, since a time (Unix milliseconds), oldest first. */
    byBody: (place: CronRequestPlace, digest: string, since: number) =>
      byBody.all({ ...place, digest, since }),
  }
}
