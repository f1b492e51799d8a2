// Ends an agent step: plans its calls, checks its answer, and gives ids to the items that it creates.
import type { Agent, StepEnd } from '../../../src/contract/agent.ts'
import type { PlannedCall, RecordedEnd } from '../../../src/contract/commands/commands.ts'
import type { Ids } from '../../../src/contract/ports.ts'
import { Refusal } from '../../../src/contract/refusals.ts'
import { StorageFailure } from '../../../src/contract/stored.ts'
import { taskErrors } from '../../../src/contract/task-errors.ts'
import { ToolsUnavailable } from '../../../src/contract/tools.ts'
import type { ErrorObject } from '../../../src/contract/wire.ts'
import type { Recorder } from './recorder.ts'
import type { StepGiven } from './step-given.ts'
import type { Stop } from './step-stop.ts'

const correction = ({ message }: ErrorObject): string =>
  `Your answer cannot be used: ${message}. Answer again, with nothing but JSON that fits the schema.`

/** Whether the step neither failed nor broke off. */
export const isWhole = ({ end }: StepEnd): boolean => end !== 'fail' && end !== 'again'

type Concluded = { end: StepEnd; calls: PlannedCall[] }

/** The end of a step whose turn of a group chat cannot begin, as the user has too many tasks: the chat pauses. */
const noPlace = (error: unknown): StepEnd => {
  if (!(error instanceof Refusal)) throw error
  return { end: 'pause', reason: error.message }
}

/** Plans the calls of a step and checks its answer. */
export const conclude = async (
  { corrects }: Agent,
  { plan, refuse, corrected }: StepGiven,
  recorder: Recorder,
  stop: Stop,
  end: StepEnd,
): Promise<Concluded> => {
  const said = recorder.calls()
  const planned = isWhole(end) && said.length > 0 ? await plan(said, stop.signal()).catch(noPlace) : []
  if ('end' in planned) return { end: planned, calls: [] }
  const calls = planned
  if (end.end !== 'answer' || refuse === undefined) return { end, calls }
  // A step that makes calls does not give the answer, so its text need not fit the schema.
  if (calls.length > 0) return { end: { ...end, end: 'continue' }, calls }
  const error = await refuse(recorder.answer())
  if (error === undefined) return { end, calls }
  if (!corrects || corrected) return { end: { end: 'fail', error }, calls }
  return { end: { ...end, end: 'correct', message: correction(error) }, calls }
}

/** The end of a step that threw an error. A failed write of the log is no failure of the agent, which tries again. */
export const failedWith = (error: unknown): Concluded => {
  if (error instanceof StorageFailure) return { end: { end: 'again' }, calls: [] }
  const message = error instanceof Error ? error.message : String(error)
  const { code } = error instanceof ToolsUnavailable ? taskErrors.ToolsAway : taskErrors.AgentFailed
  return { end: { end: 'fail', error: { code, message } }, calls: [] }
}

/** The end of a step whose report was rejected. */
export const notRecorded: RecordedEnd = {
  end: 'fail',
  error: { code: taskErrors.AgentFailed.code, message: 'the step could not be recorded' },
}

/** Gives ids to the items that the end of a step creates. */
export const withIds = (end: StepEnd, recorder: Recorder, ids: Ids): RecordedEnd => {
  if (end.end === 'correct') return { ...end, itemId: ids.next('msg_') }
  if (end.end !== 'continue') return end
  const { compressed, ...rest } = end
  if (compressed === undefined) return rest
  const compression_id = recorder.compressionId() ?? ids.next('cmp_')
  return { ...rest, compressed: { compression_id, item_id: ids.next('msg_'), ...compressed } }
}
