// Where a fork can begin so that it repeats as little as possible: at a frame before an event, when everything had ended that
// had begun.
import type { Header } from '../../src/contract/stored.ts'
import type { Event } from './past.ts'

/** After these events, everything that began has ended. */
const restingPoints = new Set([
  'TaskStarted',
  'TaskResumed',
  'AgentStepCompleted',
  'EffectCompleted',
  'InputAccepted',
  'InputAnswered',
])

/** Events of one append follow each other, at one time, by one principal and for one cause. A fork copies all of them. */
const isSameAppend = (one: Header, next: Header | undefined): boolean =>
  one.time === next?.time && one.principal === next.principal && one.causation_id === next.causation_id

/** `frame`: the number of the frame. `kept`: the number of events that the fork has from this task. */
export type ForkPoint = { frame: number; kept: number }

/** The newest point before the append with the event `index`; undefined when there is none at which a fork could begin. */
export const forkPointBefore = (events: readonly Event[], index: number): ForkPoint | undefined => {
  let isBefore = false
  /** Whether the events from here to the event are of one append. */
  let isTogether = true
  for (let n = index - 1; n >= 0; n--) {
    const { type, header } = events[n] as Event
    isTogether &&= isSameAppend(header, events[n + 1]?.header)
    isBefore ||= restingPoints.has(type)
    const { seq = 0, frames = 0 } = header
    if (!isBefore || isTogether || frames === 0) continue
    let kept = n + 1
    while (kept < index && isSameAppend((events[kept - 1] as Event).header, events[kept]?.header)) kept++
    return { frame: seq + frames - 1, kept }
  }
  return undefined
}
