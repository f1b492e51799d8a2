// Reads from an event which request stored it, so that the table of requests can name it.

import { cronEvents } from '../../src/contract/decoders/cron.ts'
import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { webhookEvents } from '../../src/contract/decoders/webhook.ts'
import { jobIdOf } from '../../src/contract/events/cron-events.ts'
import { webhookIdOf } from '../../src/contract/events/webhook-events.ts'
import { digestOfRun, runsOf, scopes } from '../../src/contract/request-scopes.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { taskIdOf } from '../../src/contract/task-stream.ts'

/** `key`: undefined for a request that had none. `made`: the id of what the request made or changed. */
type Request = { scope: string; key: string | undefined; digest: string; made: string }

const ofTask = (stored: Recorded): Request | undefined => {
  const event = taskEvents.find(stored)
  if (event?.type !== 'TaskCreated' && event?.type !== 'InputAccepted') return undefined
  const { idempotency_key: key, digest = '' } = event.data
  return key === undefined
    ? undefined
    : { scope: scopes.task, key, digest, made: taskIdOf(event.header.stream) }
}

const ofJob = (stored: Recorded): Request | undefined => {
  const event = cronEvents.find(stored)
  if (event?.type !== 'CronJobCreated') return undefined
  const { digest, idempotency_key: key, job_id: made } = event.data
  return { scope: scopes.job, key, digest, made }
}

/** A run that a request asked for. The task of a run that waited is created later, without a request. */
const ofRun = (stored: Recorded): Request | undefined => {
  const event = cronEvents.find(stored)
  if (
    event?.type !== 'CronJobTriggered' &&
    event?.type !== 'CronRunQueued' &&
    event?.type !== 'CronJobFailed'
  )
    return undefined
  const { data, header } = event
  if (data.manual !== true || ('queued' in data && data.queued === true)) return undefined
  return {
    scope: runsOf(jobIdOf(header.stream)),
    key: data.idempotency_key,
    digest: digestOfRun,
    made: data.run_id,
  }
}

const ofWebhook = (stored: Recorded): Request | undefined => {
  const event = webhookEvents.find(stored)
  if (event?.type !== 'WebhookCreated') return undefined
  const { idempotency_key: key, body_digest: digest = '' } = event.data
  if (key === undefined) return undefined
  return { scope: scopes.webhook, key, digest, made: webhookIdOf(event.header.stream) }
}

/** A create with a key needs no row: the key gives the session its id. */
const ofSession = (stored: Recorded): Request | undefined => {
  const event = sessionEvents.find(stored)
  if (event?.type !== 'EnvSessionCreated' || event.header.revision !== 0) return undefined
  const { body_digest: digest, session_id: made } = event.data
  return digest === undefined ? undefined : { scope: scopes.session, key: undefined, digest, made }
}

const byType: Record<string, (stored: Recorded) => Request | undefined> = {
  TaskCreated: ofTask,
  InputAccepted: ofTask,
  CronJobCreated: ofJob,
  CronJobTriggered: ofRun,
  CronRunQueued: ofRun,
  CronJobFailed: ofRun,
  WebhookCreated: ofWebhook,
  EnvSessionCreated: ofSession,
}

/** The request that an event stores; undefined: no request did, or its retry is found in another way. */
export const requestIn = (stored: Recorded): Request | undefined => byType[stored.header.type]?.(stored)
