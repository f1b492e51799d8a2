import { type Published, positionOf } from './published.ts'
import { indexAfter } from './window.ts'

/** Keeps the newest public events that were added. It never drops one of the newest `count`. */
export const createRecent = (count: number) => {
  let events: Published[] = []
  return {
    add(added: readonly Published[]): void {
      events.push(...added)
      if (events.length > 2 * count) events = events.slice(-count)
    },
    /** The event at this position, if it is kept. */
    at(position: number): Published | undefined {
      const found = events[indexAfter(events, position, positionOf) - 1]
      return found?.position === position ? found : undefined
    },
    clear(): void {
      events = []
    },
  }
}
