// Decides how a step ends after its call of the model: with its calls, its answer, a correction, or a failure.
import type { StepEnd, StepPart } from '../../contract/agent.ts'
import { isWholeJson } from '../../contract/whole-json.ts'
import { ModelLost, ModelRefused } from './failures.ts'
import type { Listened } from './listen.ts'

/** A step is attempted at most this often when its answers break off. */
const maxAttempts = 4

const cutCall =
  'the model was cut off while it called a tool (finish reason: length); give it a larger max_response_length'
const correctionOfCut =
  'Your call was cut off because your answer reached the greatest length allowed. It did not run. Answer again, and say less at once.'

export const failed = (message: string): StepEnd => ({ end: 'fail', error: { code: -32000, message } })

/** The call and the usage, which every end of a step reports. */
export const account = ({ call, usage }: Listened) => ({ call, ...(usage === undefined ? {} : { usage }) })

/** The end of a step with an answer. `corrected`: the agent was corrected once already. */
export function* endOfAnswer(listened: Listened, corrected: boolean): Generator<StepPart, StepEnd> {
  const { calls, spoke, call } = listened
  const { finish_reason } = call.response
  const isCut = finish_reason === 'length'
  const made = isCut ? calls.filter(({ arguments: args }) => isWholeJson(args)) : calls
  if (!spoke && made.length === 0 && finish_reason !== 'stop') {
    return failed(`the model said nothing (finish reason: ${finish_reason})`)
  }
  if (isCut) yield { say: 'cut-off' }
  for (const { name, arguments: args } of made) {
    if (args === '') yield { say: 'call', name, arguments: '{}' } // no text of this call was passed on yet
  }
  if (made.length > 0) return { end: 'continue', ...account(listened) }
  if (calls.length === 0) return { end: 'answer', ...account(listened) }
  if (corrected) return failed(cutCall)
  return { end: 'correct', message: correctionOfCut, ...account(listened) }
}

/** The end of a step whose model call threw an error. */
export const endOfFailure = (error: unknown, attempt: number, signal: AbortSignal): StepEnd => {
  if (signal.aborted) return { end: 'again' }
  if (error instanceof ModelRefused) return failed(error.message)
  if (!(error instanceof ModelLost)) throw error
  return attempt + 1 < maxAttempts ? { end: 'again' } : failed(error.message)
}
