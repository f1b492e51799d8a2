// Collects reads until they are stored: one entry for each token and route.
import type { ReadAccess } from '../contract/events/access-events.ts'

/** The most ids of one event, so that its payload stays short. An id has at most 256 characters. */
const idsOfEvent = 500
/** The memory that an entry or an id needs besides its own characters, counted in characters. */
const overhead = 64

type Entry = { principal: string; route: string; ids: Set<string>; count: number }

const eventsOf = ({ principal, route, ids, count }: Entry): ReadAccess[] => {
  const all = [...ids]
  const events: ReadAccess[] = [{ principal, route, ids: all.slice(0, idsOfEvent), count }]
  for (let from = idsOfEvent; from < all.length; from += idsOfEvent)
    events.push({ principal, route, ids: all.slice(from, from + idsOfEvent), count: 0 })
  return events
}

export const createReadBatch = () => {
  let entries = new Map<string, Entry>()
  let size = 0
  const entryOf = (principal: string, route: string): Entry => {
    const key = `${principal} ${route}`
    const known = entries.get(key)
    if (known !== undefined) return known
    const made: Entry = { principal, route, ids: new Set(), count: 0 }
    entries.set(key, made)
    size += key.length + overhead
    return made
  }
  return {
    /** How much memory the batch needs, in characters. */
    size: () => size,
    count(principal: string, route: string): void {
      entryOf(principal, route).count++
    },
    add(principal: string, route: string, id: string): void {
      const { ids } = entryOf(principal, route)
      if (!ids.has(id)) size += id.length + overhead
      ids.add(id)
    },
    /** Empties the batch. */
    take(): ReadAccess[] {
      const events = [...entries.values()].flatMap(eventsOf)
      entries = new Map()
      size = 0
      return events
    },
  }
}
