// Makes the metrics of ATIF: the tokens and the other usage of model calls.
import type { TaskEventData } from '../../contract/events/task-events.ts'
import type { OutputItem } from '../../contract/wire.ts'
import { logprobsOf } from '../rollout.ts'
import { definedOnly, extraOf, type FinalMetrics, type Metrics } from './format.ts'

type StepEnd = Pick<TaskEventData<'AgentStepCompleted'>, 'usage' | 'response'>

const count = (value: unknown): number | undefined =>
  Number.isInteger(value) ? (value as number) : undefined

/**
 * The metrics of a step; undefined when nothing is known. When there are fewer or more logprobs than token ids, the
 * logprobs go to `extra`.
 */
export const metricsOf = (
  { usage = {}, response }: StepEnd,
  said: OutputItem[],
  prompt_token_ids: number[] | undefined,
): Metrics | undefined => {
  const { input_tokens, output_tokens, total_tokens: _, cached_tokens, ...more } = usage
  const completion_token_ids = response?.completion_token_ids
  const found = logprobsOf(said).map(({ logprob }) => logprob)
  const logprobs = found.length === 0 ? undefined : found
  const fit = completion_token_ids === undefined || completion_token_ids.length === found.length
  const metrics = definedOnly<Metrics>({
    prompt_tokens: count(input_tokens),
    completion_tokens: count(output_tokens),
    cached_tokens: count(cached_tokens),
    prompt_token_ids,
    completion_token_ids,
    logprobs: fit ? logprobs : undefined,
    ...extraOf({ ...more, logprobs: fit ? undefined : logprobs }),
  })
  return Object.keys(metrics).length === 0 ? undefined : metrics
}

/** The sums over all calls. Each sum covers the calls that reported its value. */
export const finalMetrics = (calls: Metrics[], total_steps: number): FinalMetrics => {
  const sum = (key: 'prompt_tokens' | 'completion_tokens' | 'cached_tokens') => {
    const known = calls.flatMap(call => call[key] ?? [])
    return known.length === 0 ? undefined : known.reduce((a, b) => a + b)
  }
  return definedOnly<FinalMetrics>({
    total_prompt_tokens: sum('prompt_tokens'),
    total_completion_tokens: sum('completion_tokens'),
    total_cached_tokens: sum('cached_tokens'),
    total_steps,
  })
}
