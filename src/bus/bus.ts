// The bus put together: public events, published from what is committed, here or over NATS.
import type { Report } from '../contract/ports.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import type { EventLog } from '../log/log.ts'
import { createEvents } from './events.ts'
import type { NatsBus } from './nats-bus.ts'

type Deps = {
  log: EventLog
  loop: LoopShares
  /** Carries events to those who follow them; undefined: they get what is committed. */
  nats: Pick<NatsBus, 'join'> | undefined
  report: Report
}

export const createBus = ({ log, loop, nats, report }: Deps) => {
  const events = createEvents(log, loop)
  log
    .subscribe({ after: log.head() }, nats?.join(events) ?? events.publish)
    .done.catch(error => report('error', 'events are no longer published', { error: String(error) }))
  return { events }
}
