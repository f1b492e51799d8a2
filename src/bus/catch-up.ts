// Hands a subscriber the events that it has missed: first events from pages of the log, then the kept events.
import type { KeptEvents } from './kept-events.ts'
import type { LiveSubscribers } from './live-subscribers.ts'
import type { Past } from './past.ts'
import { chosenBy, type Hand, type Subscriber } from './subscriber.ts'

type Parts = { past: Past; kept: KeptEvents; live: LiveSubscribers; hand: Hand }

const isClosed = ({ state }: Subscriber): boolean => state === 'closed'

/**
 * Returns a function that hands a subscriber all events after its position. At the end the subscriber is `live`, or
 * `full` if it takes no more for now.
 */
export const createCatchUp = ({ past, kept, live, hand }: Parts) => {
  const markFull = (subscriber: Subscriber) => {
    if (!isClosed(subscriber)) live.leave(subscriber, 'full')
  }
  /** Hands over the kept events at once, up to the newest published event. */
  const fromKept = (subscriber: Subscriber): void => {
    if (!hand(subscriber, kept.missedBy(subscriber))) markFull(subscriber)
    else {
      subscriber.position = Math.max(subscriber.position, kept.upTo())
      live.join(subscriber)
    }
  }
  /** Hands over the stored events of one session, without reading those of others. Returns false when the subscriber takes no more. */
  const ofSession = async (subscriber: Subscriber, session: string): Promise<boolean> => {
    for await (const page of past.ofSession(session, subscriber.position, subscriber.filter.owner)) {
      if (subscriber.state !== 'reading') return false
      if (!hand(subscriber, chosenBy(subscriber, page.events))) {
        markFull(subscriber)
        return false
      }
      subscriber.position = Math.max(subscriber.position, page.end)
    }
    return true
  }
  const fromLog = async (subscriber: Subscriber): Promise<void> => {
    const { sessionId } = subscriber.filter
    if (sessionId !== undefined && !(await ofSession(subscriber, sessionId))) return
    while (subscriber.position < kept.from()) {
      const page = await past.after(subscriber.position, subscriber.filter.owner)
      if (subscriber.state !== 'reading') return
      if (page === undefined) throw new Error(`nothing is stored after position ${subscriber.position}`)
      if (!hand(subscriber, chosenBy(subscriber, page.events))) return markFull(subscriber)
      subscriber.position = page.end
    }
    if (subscriber.state === 'reading') fromKept(subscriber)
  }
  return (subscriber: Subscriber): void => {
    subscriber.state = 'reading'
    if (subscriber.position >= kept.from()) fromKept(subscriber)
    else
      fromLog(subscriber).catch(error => {
        if (isClosed(subscriber)) return
        live.leave(subscriber, 'closed')
        subscriber.onFault(error)
      })
  }
}
export type CatchUp = ReturnType<typeof createCatchUp>
