// Keeps the live subscribers, which get new events as soon as these events are published. Subscribers are grouped by
// the owner whose events they see (undefined: all owners).
import type { Subscriber } from './subscriber.ts'

const none: ReadonlySet<Subscriber> = new Set()

export const createLiveSubscribers = () => {
  const live = new Map<string | undefined, Set<Subscriber>>()
  return {
    of: (owner: string | undefined): ReadonlySet<Subscriber> => live.get(owner) ?? none,
    isFollowed: (owner: string): boolean => live.has(owner),
    join(subscriber: Subscriber): void {
      subscriber.state = 'live'
      const here = live.get(subscriber.filter.owner) ?? new Set()
      live.set(subscriber.filter.owner, here.add(subscriber))
    },
    leave(subscriber: Subscriber, state: 'reading' | 'full' | 'closed'): void {
      subscriber.state = state
      const here = live.get(subscriber.filter.owner)
      here?.delete(subscriber)
      if (here?.size === 0) live.delete(subscriber.filter.owner)
    },
  }
}
export type LiveSubscribers = ReturnType<typeof createLiveSubscribers>
