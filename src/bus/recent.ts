import { indexAfter, type Told } from './told.ts'

/** The newest public events that were added, at least `most` of them where there were as many. */
export const createRecent = (most: number) => {
  let events: Told[] = []
  return {
    add(added: readonly Told[]): void {
      events.push(...added)
      if (events.length > 2 * most) events = events.slice(-most)
    },
    /** The event at this position, if it is among them. */
    at(position: number): Told | undefined {
      const found = events[indexAfter(events, position) - 1]
      return found?.position === position ? found : undefined
    },
    clear(): void {
      events = []
    },
  }
}
