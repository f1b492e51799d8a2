// Finds the intents among decided events: the effects that begin once these events are stored. Also reports the points
// at which tests may kill the process.
import type { TaskEvent } from '../../src/contract/task-events.ts'
import type { Reach } from '../../src/contract/tools.ts'

const effectIdsOf = ({ type, data }: TaskEvent): string[] =>
  type === 'EffectIntended' ? [data.effect_id] : []
const isInput = ({ type }: TaskEvent): boolean => type === 'InputAccepted'

export const intendedEffects = (events: readonly TaskEvent[]): string[] => events.flatMap(effectIdsOf)

/** Whether the events accept input: an answer to a call, or a message. */
export const takesInput = (events: readonly TaskEvent[]): boolean => events.some(isInput)

/** Reports the points before intents and input are stored. */
export const reachIntents = (reach: Reach, events: readonly TaskEvent[]): void => {
  for (const { type, data } of events) {
    if (type === 'EffectIntended') {
      reach('before-intent', data.child === undefined ? 'tool' : 'child', data.name)
    }
    if (type === 'CancelRequested') reach('before-intent', 'cancel')
  }
  if (takesInput(events)) reach('before-intent', 'answer')
}
