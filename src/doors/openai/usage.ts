// The tokens of a turn. A task counts those of all its turns.
import type { ChatUsage } from '../../contract/openai/completions.ts'
import type { ResponseUsage } from '../../contract/openai/responses.ts'
import type { Usage } from '../../contract/wire.ts'

/** The tokens since `before`. A turn without a model has used none. */
export const usageSince = (before: Usage | undefined, now: Usage | undefined): ResponseUsage => {
  const since = (name: string): number => Math.max(0, Number(now?.[name] ?? 0) - Number(before?.[name] ?? 0))
  return {
    input_tokens: since('input_tokens'),
    input_tokens_details: { cached_tokens: since('cached_tokens') },
    output_tokens: since('output_tokens'),
    output_tokens_details: { reasoning_tokens: since('reasoning_tokens') },
    total_tokens: since('total_tokens'),
  }
}

export const asChat = (usage: ResponseUsage): ChatUsage => ({
  prompt_tokens: usage.input_tokens,
  completion_tokens: usage.output_tokens,
  total_tokens: usage.total_tokens,
  prompt_tokens_details: usage.input_tokens_details,
  completion_tokens_details: usage.output_tokens_details,
})
