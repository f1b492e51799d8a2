// reprise webhooks: lists, makes, deletes and tries webhooks. It asks a server.
import type { PublicEvent, Webhook, WebhookDelivery, WebhookTry } from '../../../library/client/index.ts'
import { called } from '../terminal/called.ts'
import { NoAnswer } from '../terminal/exit.ts'
import { wordsOf } from '../terminal/values.ts'
import { type Asking, ask, perPage, print, printAll, printJson } from './ask.ts'

type CreateOptions = Asking & { type?: string[]; session?: string; task?: string }

const lineOfWebhook = ({ id, status, types, url, failing }: Webhook): string =>
  [id, status.padEnd(8), url, types?.join(',') ?? '-', failing?.error ?? ''].join('  ').trimEnd()
const lineOfDelivery = ({ id, type, outcome, attempts, at, ...last }: WebhookDelivery): string =>
  [id, outcome.padEnd(9), at, type, `attempts ${attempts}`, last.error ?? last.status ?? '']
    .join('  ')
    .trimEnd()

export const listWebhooks = (options: Asking): Promise<void> =>
  ask(options, ({ webhooks }) =>
    printAll(
      webhooks.list({ limit: perPage }),
      options,
      lineOfWebhook,
      `No webhooks yet. ${called} webhooks create URL makes one.`,
    ),
  )

/** Prints the secret alone on the last line, since no later answer of the server contains it. */
export const createWebhook = async (url: string, options: CreateOptions): Promise<void> => {
  const { type, session, task } = options
  const made = await ask(options, ({ webhooks }) =>
    webhooks.create({
      url,
      ...(type === undefined ? {} : { types: wordsOf(type) as PublicEvent['type'][] }),
      ...(session === undefined ? {} : { session_id: session }),
      ...(task === undefined ? {} : { task_id: task }),
    }),
  )
  if (options.json) printJson(made)
  else print(`${lineOfWebhook(made)}\n${made.secret}`)
}

export const deleteWebhook = async (id: string, options: Asking): Promise<void> => {
  const answer = await ask(options, ({ webhooks }) => webhooks.delete(id))
  if (options.json) printJson(answer)
  else process.stderr.write(`${answer.message}\n`)
}

export const listDeliveries = (id: string, options: Asking): Promise<void> =>
  ask(options, ({ webhooks }) =>
    printAll(
      webhooks.deliveries(id, { limit: perPage }),
      options,
      lineOfDelivery,
      `Nothing was sent to ${id} yet. ${called} webhooks test ${id} sends a test.`,
    ),
  )

/** Prints how a try ended. Throws NoAnswer when the receiver did not take the event. */
const report = (tried: WebhookTry, { json }: Asking): void => {
  const { event_id, type, delivered, status, error, duration_ms } = tried
  if (json) printJson(tried)
  else if (delivered) print(`${event_id}  ${type}  answered ${status} in ${duration_ms} ms`)
  if (!delivered) throw new NoAnswer(`the receiver did not take ${event_id}: ${error}`)
}

export const testWebhook = async (id: string, options: Asking): Promise<void> =>
  report(await ask(options, ({ webhooks }) => webhooks.test(id)), options)

export const redeliver = async (id: string, event: string, options: Asking): Promise<void> =>
  report(await ask(options, ({ webhooks }) => webhooks.redeliver(id, event)), options)
