// What a fault is, and what the tables of faults share.
import type { Change } from '../change.ts'
import { type Frame, isEvent, type Step } from '../frames.ts'
import type { Event, Mark, ProtocolName } from '../protocols/protocol.ts'

/**
 * `about`: one line for users. `protocols`: where the fault makes sense; absent: everywhere. `only`: for answers that
 * are streamed, or for answers that are not; absent: what the stages of the change say.
 */
export type Fault = Change & {
  name: string
  about: string
  protocols?: readonly ProtocolName[]
  only?: 'stream' | 'whole'
}

type StepsChange = NonNullable<Change['steps']>

/**
 * The steps up to and with the first event that tells one of `marks`, then `end`. An answer without such an event stays
 * as it is.
 */
export const upTo = (marks: readonly Mark[], end: Iterable<Step>): StepsChange =>
  function* (steps) {
    for (const step of steps) {
      yield step
      if (!isEvent(step) || !marks.includes(step.is)) continue
      yield* end
      return
    }
  }

/** The steps without the events that tell one of `marks`. */
export const without = (marks: readonly Mark[]): StepsChange =>
  function* (steps) {
    for (const step of steps) if (!isEvent(step) || !marks.includes(step.is)) yield step
  }

/** The steps, with each event replaced by what `change` makes of it. `nth` counts the events from 0. */
export const eachEvent = (
  change: (event: Event, nth: number, protocol: ProtocolName) => Iterable<Step>,
): StepsChange =>
  function* (steps, protocol) {
    let nth = 0
    for (const step of steps) {
      if (isEvent(step)) yield* change(step, nth++, protocol)
      else yield step
    }
  }

/** The frames, with each text replaced by what `change` makes of it. `nth` counts the texts from 0. */
export const eachText = (
  change: (text: string, nth: number) => Iterable<Frame>,
): NonNullable<Change['frames']> =>
  function* (frames) {
    let nth = 0
    for (const frame of frames) {
      if (typeof frame === 'string') yield* change(frame, nth++)
      else yield frame
    }
  }
