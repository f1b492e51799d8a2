// Assembles the bus, which publishes the public events of each commit to subscribers, directly or over NATS.
import type { Report } from '../contract/ports.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import type { EventLog } from '../log/log.ts'
import { createEvents } from './events.ts'
import type { NatsBus } from './nats/nats-bus.ts'

type Deps = {
  log: EventLog
  loop: LoopShares
  /** Brings the public events to the subscribers over NATS. Undefined: the bus publishes each commit directly. */
  nats: Pick<NatsBus, 'join'> | undefined
  report: Report
}

export const createBus = ({ log, loop, nats, report }: Deps) => {
  const events = createEvents(log, loop)
  log.subscribe({ after: log.head() }, nats?.join(events) ?? events.publish).done.catch(error =>
    report('error', 'subscribers get no more events until the server is started again', {
      error: String(error),
    }),
  )
  return { events }
}
