// Calls of models that the code of an agent has made. Each has a rollout, as each step of other agents has.
import type { RecordedTaskEvent } from '../contract/decoders/task.ts'

/** The end of such a call. */
export type CodeCall = RecordedTaskEvent<'EffectCompleted'>

/** Whether the event ends such a call with an answer. */
export const isCodeCall = (event: RecordedTaskEvent): event is CodeCall =>
  event.type === 'EffectCompleted' && event.data.model !== undefined && event.data.status === 'completed'
