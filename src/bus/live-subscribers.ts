// Keeps the live subscribers, which get new events as soon as these events are published. Subscribers are grouped by
// the owner whose events they see (undefined: all owners).
import { createMembers, createTransientMap, type Members } from '../platform/transient.ts'
import type { Subscriber } from './subscriber.ts'

const none: Members<Subscriber> = createMembers()
const ignore = () => {}

export const createLiveSubscribers = () => {
  const live = createTransientMap<string | undefined, Members<Subscriber>>()
  return {
    of: (owner: string | undefined): Members<Subscriber> => live.get(owner) ?? none,
    isFollowed: (owner: string): boolean => live.has(owner),
    join(subscriber: Subscriber): void {
      subscriber.state = 'live'
      const here = live.get(subscriber.filter.owner) ?? createMembers()
      live.set(subscriber.filter.owner, here)
      subscriber.leaveLive()
      subscriber.leaveLive = here.join(subscriber)
    },
    leave(subscriber: Subscriber, state: 'reading' | 'full' | 'closed'): void {
      subscriber.state = state
      subscriber.leaveLive()
      subscriber.leaveLive = ignore
      if (live.get(subscriber.filter.owner)?.size === 0) live.delete(subscriber.filter.owner)
    },
  }
}
export type LiveSubscribers = ReturnType<typeof createLiveSubscribers>
