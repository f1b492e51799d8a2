// Keeps the next events of a webhook, in order, but only a few of those that are to be sent. The bus reads the rest
// from the log when there is room again.
import type { EventFilter } from '../bus/event-filter.ts'
import type { Events, Subscription } from '../bus/events.ts'
import type { Published } from '../bus/published.ts'
import { isTerminal } from '../contract/wire.ts'
import type { Webhook } from '../history/webhook.ts'
import { neededTypes } from './letter.ts'

/** When this many events wait, no more are taken. */
const maxWaiting = 128

/** `isWanted`: the event is sent. `isLast`: with this event, the task of the webhook has ended. */
export type Waiting = { published: Published; isWanted: boolean; isLast: boolean }

/** The filter for the events that the maker of a webhook may see and the webhook asks for. */
export const filterOf = (webhook: Webhook): EventFilter => ({
  owner: webhook.userId ?? undefined,
  types: neededTypes(webhook),
  sessionId: webhook.settings.session_id,
  taskId: webhook.settings.task_id,
})

/** Whether a webhook is for one task alone, and ends with it. */
const endsWithTask = ({ ofTask, settings: { push } }: Webhook): boolean => ofTask || push !== undefined

/** The webhook of a task sees all events of the task, since it must notice the end. */
const chosenBy = (webhook: Webhook) => {
  const ofTask = endsWithTask(webhook)
  const types = neededTypes(webhook)
  return (published: Published): Waiting => {
    const { event } = published
    const isLast = ofTask && event.type === 'TaskStatusChanged' && isTerminal(event.new_status)
    return { published, isWanted: !ofTask || types === undefined || types.has(event.type), isLast }
  }
}

type Handlers = { onMore: () => void; onFault: (error: unknown) => void }

/** Takes the events after a position. Calls `onMore` each time it has taken some. */
export const openInbox = (
  events: Pick<Events, 'subscribe'>,
  webhook: Webhook,
  after: number,
  { onMore, onFault }: Handlers,
) => {
  const waiting: Waiting[] = []
  const filter = filterOf(webhook)
  const choose = chosenBy(webhook)
  const take = (list: readonly Published[]): boolean => {
    for (const published of list) {
      if (published.event.type === 'Gap') continue // erased events are not sent
      const chosen = choose(published)
      if (chosen.isWanted || chosen.isLast) waiting.push(chosen)
    }
    onMore()
    return waiting.length < maxWaiting && waiting.at(-1)?.isLast !== true
  }
  const wanted = endsWithTask(webhook) ? { ...filter, types: undefined } : filter
  const subscription: Subscription = events.subscribe(after, wanted, take, onFault)
  return {
    /** The event that is sent next; it stays until `drop`. */
    next: (): Waiting | undefined => waiting[0],
    drop(): void {
      waiting.shift()
      if (waiting.length === 0) subscription.resume()
    },
    /** The position up to which nothing is left to send; undefined: an event waits. */
    passed: (): number | undefined => (waiting.length === 0 ? subscription.passed() : undefined),
    close: (): void => subscription.close(),
  }
}
export type Inbox = ReturnType<typeof openInbox>
