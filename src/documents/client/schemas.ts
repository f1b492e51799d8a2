// The schemas that the clients know: those of the operations that they call, by name, with what they refer to.
import { Gap } from '../../contract/events/public-events.ts'
import { Frame } from '../../contract/frames.ts'
import { PublicEvent } from '../components/streams.ts'
import { type OperationId, operations } from '../operations.ts'
import { type Json, schemaWriter } from '../schemas.ts'

/** The operations that have a method in the clients. */
export const called: readonly OperationId[] = [
  ...(['createTask', 'listTasks', 'getTask', 'deleteTask', 'cancelTask', 'pauseTask', 'resumeTask'] as const),
  ...(['answerCalls', 'decideApproval', 'postMessage', 'forkTask', 'rewardTask', 'diffTasks'] as const),
  ...(['listEnvironments', 'getEnvironment', 'createEnv', 'stepEnv', 'resetEnv'] as const),
  ...(['observeEnv', 'closeEnv', 'listSessions', 'getSession', 'deleteSession', 'cleanUpSessions'] as const),
  ...(['createCronJob', 'listCronJobs', 'getCronJob', 'changeCronJob', 'deleteCronJob'] as const),
  ...(['pauseCronJob', 'resumeCronJob', 'triggerCronJob', 'listCronRuns'] as const),
  ...(['createWebhook', 'listWebhooks', 'getWebhook', 'changeWebhook', 'deleteWebhook'] as const),
  ...(['rotateWebhookSecret', 'testWebhook', 'listDeliveries', 'redeliver'] as const),
  ...(['listAgents', 'createStreamTicket'] as const),
]
/** Forms of answers that the clients take apart, so that nobody sees them. */
const takenApart = /Envelope$|List$|Page$|^WebhookDeliveries$|^Erasure|^NotErased$/

/** The schema of each name, in the order of the documents; references begin with `#/`. */
export const clientSchemas = (): Record<string, Json> => {
  const schemas = schemaWriter('#/')
  for (const { id, body, answers } of operations) {
    if (!called.includes(id)) continue
    if (body !== undefined) schemas.of(body.schema)
    for (const { schema } of answers) if (schema !== undefined) schemas.of(schema)
  }
  for (const schema of [Frame, PublicEvent, Gap]) schemas.of(schema)
  const named = schemas.named() as Record<string, Json>
  return Object.fromEntries(Object.entries(named).filter(([name]) => !takenApart.test(name)))
}
