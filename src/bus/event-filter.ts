// Decides which public events a subscriber gets.
import { optInEvents } from '../contract/events/public-events.ts'
import type { Published } from './published.ts'

export type EventFilter = {
  /** Absent: events of all users. */
  owner?: string | undefined
  /** Absent: all types except those that a subscriber must name. */
  types?: ReadonlySet<string> | undefined
  sessionId?: string | undefined
  taskId?: string | undefined
}

const isDefault = ({ event }: Published): boolean => !optInEvents.has(event.type)
/** A gap fits every list of types, since events of any type may be missing there. */
const isGap = ({ event }: Published): boolean => event.type === 'Gap'

/** Whether the filter may leave out events that a subscriber without a filter gets. */
const isNarrow = ({ types, sessionId, taskId }: EventFilter): boolean =>
  types !== undefined || sessionId !== undefined || taskId !== undefined

/** Events of a group chat have no `session_id`, and name the task of the chat in `group_chat_id`. */
const isOfSession = ({ event, sessionId }: Published, wanted: string): boolean =>
  (event.session_id ?? sessionId) === wanted
const isOfTask = ({ event }: Published, wanted: string): boolean =>
  event.task_id === wanted || ('group_chat_id' in event && event.group_chat_id === wanted)

export const fits = ({ owner, types, sessionId, taskId }: EventFilter, published: Published): boolean => {
  const { event } = published
  if (owner !== undefined && published.owner !== owner) return false
  if (types === undefined ? !isDefault(published) : !(types.has(event.type) || isGap(published))) return false
  if (sessionId !== undefined && !isOfSession(published, sessionId)) return false
  return taskId === undefined || isOfTask(published, taskId)
}

const chosenBy = (filter: EventFilter, events: readonly Published[]): readonly Published[] => {
  const isWanted = (event: Published) => fits(filter, event)
  return events.every(isWanted) ? events : events.filter(isWanted)
}
type Choose = (events: readonly Published[]) => readonly Published[]

/**
 * Returns a function that chooses the events of a subscriber. Subscribers of one owner that name no types, session or task
 * share one list.
 */
export const createChoice = () => {
  // The next subscriber usually chooses from the same list as the one before.
  let last: { owner?: string | undefined; events: readonly Published[]; chosen: readonly Published[] } = {
    events: [],
    chosen: [],
  }
  return (filter: EventFilter): Choose => {
    if (isNarrow(filter)) return events => chosenBy(filter, events)
    const { owner } = filter
    return events => {
      if (last.events !== events || last.owner !== owner)
        last = { owner, events, chosen: chosenBy(filter, events) }
      return last.chosen
    }
  }
}
