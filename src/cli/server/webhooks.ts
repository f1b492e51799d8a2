// reprise webhooks: lists, makes, deletes and tries webhooks. It asks the running server.
import type { WebhookDelivery, WebhookInfo, WebhookTry } from '../../contract/wire.ts'
import { NoAnswer } from '../terminal/exit.ts'
import { ask, at, print, printAll } from './ask.ts'

type Json = { json?: true }
type AddOptions = Json & { type?: string[]; session?: string; task?: string }

const webhooks = '/webhooks'
const webhook = (id: string): string => `${webhooks}${at(id)}`

const lineOfWebhook = ({ id, status, types, url, failing }: WebhookInfo): string =>
  [id, status.padEnd(8), url, types?.join(',') ?? '-', failing?.error ?? ''].join('  ').trimEnd()
const lineOfDelivery = ({ id, type, outcome, attempts, at, ...last }: WebhookDelivery): string =>
  [id, outcome.padEnd(9), at, type, `attempts ${attempts}`, last.error ?? last.status ?? '']
    .join('  ')
    .trimEnd()

export const listWebhooks = (options: Json): Promise<void> =>
  printAll<WebhookInfo>(webhooks, options.json ? JSON.stringify : lineOfWebhook)

/** Prints the secret alone on the last line, since no later answer of the server contains it. */
export const addWebhook = async (url: string, options: AddOptions): Promise<void> => {
  const { type, session, task } = options
  const made = await ask<WebhookInfo & { secret: string }>('POST', webhooks, {
    url,
    ...(type === undefined ? {} : { types: type.flatMap(names => names.split(',')) }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(task === undefined ? {} : { task_id: task }),
  })
  print(options.json ? JSON.stringify(made) : `${lineOfWebhook(made)}\n${made.secret}`)
}

export const removeWebhook = async (id: string, options: Json): Promise<void> => {
  const answer = await ask<{ message: string }>('DELETE', webhook(id))
  if (options.json) print(JSON.stringify(answer))
  else process.stderr.write(`${answer.message}\n`)
}

export const listDeliveries = (id: string, options: Json): Promise<void> =>
  printAll<WebhookDelivery>(`${webhook(id)}/deliveries`, options.json ? JSON.stringify : lineOfDelivery)

/** Prints how a try ended. Throws NoAnswer when the receiver did not take the event. */
const report = (tried: WebhookTry, { json }: Json): void => {
  const { event_id, type, delivered, status, error, duration_ms } = tried
  if (json) print(JSON.stringify(tried))
  else if (delivered) print(`${event_id}  ${type}  answered ${status} in ${duration_ms} ms`)
  if (!delivered) throw new NoAnswer(`the receiver did not take ${event_id}: ${error}`)
}

export const testWebhook = async (id: string, options: Json): Promise<void> =>
  report(await ask<WebhookTry>('POST', `${webhook(id)}/test`), options)

export const redeliver = async (id: string, event: string, options: Json): Promise<void> =>
  report(await ask<WebhookTry>('POST', `${webhook(id)}/deliveries${at(event)}/redeliver`), options)
