// Where a task is in its chart, folded from its events. Replay, projections and decisions read the table of the chart;
// a test holds XState's own reading of the chart equal to it.
import { beginningOf, tableOf } from './chart.ts'
import { type Lifecycle, type TaskPlace, taskChart } from './task-chart.ts'
import { isTerminal } from './wire.ts'

/** `open`: the calls that were begun here and have no result, by their ids. */
export type TaskState = { readonly at: TaskPlace; readonly open: readonly string[] }

export const firstState: TaskState = { at: beginningOf(taskChart) as TaskPlace, open: [] }

const table = tableOf(taskChart)
const statusAt = new Map([...table.keys()].map(place => [place, place.split('.')[0] as Lifecycle]))
export const statusIn = ({ at }: TaskState): Lifecycle => statusAt.get(at) as Lifecycle

/** By status: the events that lead out of it from at least one place in it, and the innermost state that each leads to. */
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

/** Whether an event moves a task from a status to another. */
export const isMove = (type: string): boolean => moving.has(type)
/** The events that may move a task from a status. */
export const movesFrom = (status: Lifecycle): string[] => [...(moves.get(status)?.keys() ?? [])]

/** The events after which a task needs nothing any more. */
export const taskEnds: ReadonlySet<string> = new Set(
  [...moves.values()].flatMap(out => [...out].flatMap(([type, to]) => (isEnd(to) ? [type] : []))),
)

/** Where a move leads from a status. One that the chart lacks is a fault. */
const placeAfter = (status: Lifecycle, type: string): TaskPlace => {
  const to = moves.get(status)?.get(type)
  if (to === undefined) throw new Error(`${type} is no move from ${status}`)
  return to
}
/** The status after an event; one that is no move leaves it as it is. */
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

/** The guards of the chart; they see the open calls as they are after the event. */
export const guards = { callsOpen: (open: readonly string[]): boolean => open.length > 0 }

const chosen = (at: string, type: string, open: readonly string[]) =>
  table
    .get(at)
    ?.get(type)
    ?.find(({ guard }) => guard === undefined || guards[guard as keyof typeof guards](open))

/** Whether the chart has a move by this event from where the task is. */
export const canFollow = ({ at, open }: TaskState, type: string): boolean =>
  chosen(at, type, open)?.to !== undefined

/**
 * The state after an event. What is stored has happened: where the chart of today forbids a move in a place but not in
 * the status around it, the move counts.
 */
export const stateAfter = (state: TaskState, type: string, data: unknown): TaskState => {
  const open = openAfter(state.open, type, data)
  const to = chosen(state.at, type, open)?.to as TaskPlace | undefined
  const at = to ?? (isMove(type) ? placeAfter(statusIn(state), type) : state.at)
  return at === state.at && open === state.open ? state : { at, open }
}

export const isPausing = ({ at }: TaskState): boolean => at.startsWith('working.pausing.')
export const isCanceling = ({ at }: TaskState): boolean => at === 'working.canceling'
