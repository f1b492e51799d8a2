// The state of a task in its chart, folded from the task's events. Replay, projections and decisions use the table of
// the chart. A test checks that XState comes to the same states as this table.

import { isTerminal } from '../wire.ts'
import { beginningOf, tableOf } from './chart.ts'
import { type Lifecycle, type TaskPlace, taskChart } from './task-chart.ts'

/** `open`: the ids of calls that began on the server and have no result. */
export type TaskState = { readonly at: TaskPlace; readonly open: readonly string[] }

export const firstState: TaskState = { at: beginningOf(taskChart) as TaskPlace, open: [] }

const table = tableOf(taskChart)
const statusAt = new Map([...table.keys()].map(place => [place, place.split('.')[0] as Lifecycle]))
export const statusIn = ({ at }: TaskState): Lifecycle => statusAt.get(at) as Lifecycle

/**
 * For each status: the events that lead out of at least one of its inner states, and the innermost target of each
 * event.
 */
const moves = new Map<Lifecycle, Map<string, TaskPlace>>()
for (const [place, events] of table) {
  const from = statusAt.get(place) as Lifecycle
  const out = moves.get(from) ?? new Map<string, TaskPlace>()
  moves.set(from, out)
  for (const [type, led] of events) {
    for (const { to } of led)
      if (to !== undefined && statusAt.get(to) !== from) out.set(type, to as TaskPlace)
  }
}
const isEnd = (place: TaskPlace): boolean => {
  const status = statusAt.get(place)
  return status !== undefined && isTerminal(status)
}
const moving = new Set([...moves.values()].flatMap(out => [...out.keys()]))

/** Whether an event moves a task from one status to another. */
export const isMove = (type: string): boolean => moving.has(type)
/** The events that may move a task from a status. */
export const movesFrom = (status: Lifecycle): string[] => [...(moves.get(status)?.keys() ?? [])]

/** The events that end a task. */
export const taskEnds: ReadonlySet<string> = new Set(
  [...moves.values()].flatMap(out => [...out].flatMap(([type, to]) => (isEnd(to) ? [type] : []))),
)

/** The innermost state after a move from a status. Throws when the chart has no such move. */
const placeAfter = (status: Lifecycle, type: string): TaskPlace => {
  const to = moves.get(status)?.get(type)
  if (to === undefined) throw new Error(`the event ${type} is not allowed in the status ${status}`)
  return to
}
/** The status after an event. An event that is not a move does not change the status. */
export const statusAfter = (status: Lifecycle, type: string): Lifecycle =>
  isMove(type) ? (statusAt.get(placeAfter(status, type)) as Lifecycle) : status

/** The open calls after an event. */
export const openAfter = (open: readonly string[], type: string, data: unknown): readonly string[] => {
  if (type !== 'EffectIntended' && type !== 'EffectCompleted' && type !== 'InputAccepted') return open
  const given = data as { call_id?: string; item?: { call_id?: string } }
  const id = given.call_id ?? given.item?.call_id
  if (id === undefined || open.includes(id) === (type === 'EffectIntended')) return open
  return type === 'EffectIntended' ? [...open, id] : open.filter(one => one !== id)
}

/** The guards of the chart. They are given the calls that are open after the event. */
export const guards = { callsOpen: (open: readonly string[]): boolean => open.length > 0 }

const chosen = (at: string, type: string, open: readonly string[]) =>
  table
    .get(at)
    ?.get(type)
    ?.find(({ guard }) => guard === undefined || guards[guard as keyof typeof guards](open))

/** Whether the chart has a move for this event from the state of the task. */
export const canFollow = ({ at, open }: TaskState, type: string): boolean =>
  chosen(at, type, open)?.to !== undefined

/**
 * The state after an event. A stored event has happened, even if the chart has changed since. Therefore a move that the
 * chart forbids in this inner state is accepted if the chart allows it in another inner state of the status.
 */
export const stateAfter = (state: TaskState, type: string, data: unknown): TaskState => {
  const open = openAfter(state.open, type, data)
  const to = chosen(state.at, type, open)?.to as TaskPlace | undefined
  const at = to ?? (isMove(type) ? placeAfter(statusIn(state), type) : state.at)
  return at === state.at && open === state.open ? state : { at, open }
}

export const isPausing = ({ at }: TaskState): boolean => at.startsWith('working.pausing.')
export const isCanceling = ({ at }: TaskState): boolean => at === 'working.canceling'
