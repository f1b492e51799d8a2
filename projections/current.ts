// Queries the read models only when they hold every event that the log holds. Throws ReadModelsBehind otherwise.
import { Refusal } from '../src/contract/refusals.ts'
import type { Projector } from './projector.ts'
import type { Topic } from './topics.ts'

export type Reading = Pick<
  Projector,
  'isCurrent' | 'isCurrentFor' | 'flush' | 'prepare' | 'reading' | 'caughtUp'
>

export const createCurrent = ({
  isCurrent,
  isCurrentFor,
  flush,
  prepare,
  reading,
}: Omit<Reading, 'caughtUp'>) => ({
  /** Runs a query when the tables hold all events. */
  current<T>(ask: () => T): T {
    flush()
    if (!isCurrent()) throw new Refusal('ReadModelsBehind')
    return reading(ask)
  },
  /**
   * Runs a query of the server itself, when the tables hold all events that concern the topic; without a topic, all
   * events.
   */
  currentOn<T>(topic: Topic | undefined, ask: () => T): T {
    prepare(topic)
    if (!isCurrent()) throw new Refusal('ReadModelsBehind')
    return reading(ask)
  },
  /** Runs a query when the tables hold all events of one stream. */
  currentFor<T>(stream: string, ask: () => T): T {
    flush(stream)
    if (!isCurrentFor(stream)) throw new Refusal('ReadModelsBehind')
    return reading(ask)
  },
})
export type Current = ReturnType<typeof createCurrent>
