import type { Timers } from '../../contract/ports.ts'
import { patienceMs } from '../limits.ts'
import type { Heard, Source } from './heard.ts'

/**
 * Reads text as it comes, and gives what it hears to `take`. When a message has begun and nothing follows for a few
 * seconds, the message is taken as it is.
 */
export const createListener = (
  source: Source,
  timers: Pick<Timers, 'after'>,
  take: (heard: Heard[]) => void,
) => {
  let cancel = () => {}
  const end = () => {
    cancel()
    take(source.end())
  }
  return {
    hear(text: string): void {
      cancel()
      take(source.hear(text))
      if (source.hasBegun()) cancel = timers.after(patienceMs, end)
    },
    /** Nothing follows any more. */
    end,
    /** Nothing more is taken. */
    stop: () => cancel(),
  }
}
