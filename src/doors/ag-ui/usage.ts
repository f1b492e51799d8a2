// The tokens of a run, which is one turn of a task.
import type { Usage } from '../../contract/wire.ts'
import { usageSince } from '../openai/usage.ts'

/** The tokens since `before`. A run without a model has used none. */
export const usageOf = (before: Usage | undefined, now: Usage | undefined) => {
  const used = usageSince(before, now)
  if (used.total_tokens === 0) return {}
  return {
    usage: [
      {
        inputTokens: used.input_tokens,
        outputTokens: used.output_tokens,
        totalTokens: used.total_tokens,
        reasoningTokens: used.output_tokens_details.reasoning_tokens,
        cachedInputTokens: used.input_tokens_details.cached_tokens,
      },
    ],
  }
}
