// The bus put together: what wakes the followers of one task, and what publishes the events of all, here or over NATS.
import type { LoopShares } from '../fairness/loop-shares.ts'
import type { EventLog } from '../log/log.ts'
import { createEvents } from './events.ts'
import { createLive } from './live.ts'
import type { NatsBus } from './nats-bus.ts'

/** `nats`: carries events to those who follow them; undefined: they get what is committed. */
export const createBus = (log: EventLog, loop: LoopShares, nats: Pick<NatsBus, 'join'> | undefined) => {
  const live = createLive()
  const events = createEvents(log, loop)
  const publisher = nats?.join(events) ?? { commit: events.publish, lookAgain: events.lookAgain }
  return {
    live,
    events,
    /** These are called with each commit, in this order. */
    followers: [live.publish, publisher.commit],
    /** More may be stored than was committed: everybody looks into the log. */
    lookAgain(): void {
      live.lookAgain()
      publisher.lookAgain()
    },
  }
}
