// Decides how a step ends after its call of the model: with its calls, its answer, a correction, or a failure.
import type { StepEnd, StepPart } from '../../contract/agent.ts'
import type { CutEnd } from '../../contract/events/task-events.ts'
import { isWholeJson } from '../../contract/json/whole-json.ts'
import { taskErrors } from '../../contract/task-errors.ts'
import { ModelLost, ModelRefused } from './failures.ts'
import type { Listened } from './listen.ts'

/** A step is attempted at most this often when its answers break off. */
const maxAttempts = 4

/** Why calls of an answer that was cut did not run: for the model, and for people. */
const cutCalls: Record<CutEnd, { told: string; failed: string }> = {
  length: {
    told: 'Your call was cut off because your answer reached the greatest length allowed. It did not run. Answer again, and say less at once.',
    failed:
      'the model was cut off while it called a tool (finish reason: length); give it a larger max_response_length',
  },
  content_filter: {
    told: 'A content filter ended your answer. Its calls did not run. Answer again in another way.',
    failed:
      'a content filter of the endpoint ended the calls of the model twice (finish reason: content_filter)',
  },
  error: {
    told: 'An error ended your answer. Its calls did not run. Answer again.',
    failed: "the model's endpoint ended the calls of the model twice with an error (finish reason: error)",
  },
  abort: {
    told: 'Your answer was ended before it was whole. Its calls did not run. Answer again.',
    failed: "the model's endpoint ended the calls of the model twice (finish reason: abort)",
  },
}

export const failed = (message: string): StepEnd => ({
  end: 'fail',
  error: { code: taskErrors.AgentFailed.code, message },
})

/** The call and the usage, which every end of a step reports. */
export const account = ({ call, usage }: Listened) => ({ call, ...(usage === undefined ? {} : { usage }) })

/** Whether an answer may say nothing: its end reason says that it is whole, and that it calls no tool. */
const mayBeSilent = ({ call: { response } }: Listened): boolean =>
  (response.end === undefined || response.end === 'unknown') &&
  !/^(tool|function)/.test(response.finish_reason ?? '')

/** The end of a step with an answer. `corrected`: the agent was corrected once already. */
export function* endOfAnswer(listened: Listened, corrected: boolean): Generator<StepPart, StepEnd> {
  const { calls, spoke, call } = listened
  const { end, finish_reason } = call.response
  const cut = end === 'unknown' ? undefined : end
  // Beside a call that was cut for its length, whole calls run. After any other cut, none does.
  const whole = cut === 'length' ? calls.filter(({ arguments: args }) => isWholeJson(args)) : calls
  const made = cut === undefined || cut === 'length' ? whole : []
  if (!spoke && calls.length === 0 && !mayBeSilent(listened)) {
    return failed(`the model said nothing (finish reason: ${finish_reason})`)
  }
  if (cut !== undefined) yield { say: 'cut-off', reason: cut }
  for (const { name, arguments: args } of made) {
    if (args === '') yield { say: 'call', name, arguments: '{}' } // no text of this call was passed on yet
  }
  if (made.length > 0) return { end: 'continue', ...account(listened) }
  if (calls.length === 0 || cut === undefined) return { end: 'answer', ...account(listened) }
  if (corrected) return failed(cutCalls[cut].failed)
  return { end: 'correct', message: cutCalls[cut].told, ...account(listened) }
}

/** The end of a step whose model call threw an error. */
export const endOfFailure = (error: unknown, attempt: number, signal: AbortSignal): StepEnd => {
  if (signal.aborted) return { end: 'again' }
  if (error instanceof ModelRefused) return failed(error.message)
  if (!(error instanceof ModelLost)) throw error
  return attempt + 1 < maxAttempts ? { end: 'again' } : failed(error.message)
}
