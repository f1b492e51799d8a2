// What the words mean with which endpoints say why an answer ended.
import type { ModelResponse } from '../../contract/task-events.ts'

type End = NonNullable<ModelResponse['end']>

const words: Record<'whole' | Exclude<End, 'unknown'>, string[]> = {
  whole: [
    ...['stop', 'tool_calls', 'tool-calls', 'function_call', 'tool_use', 'end_turn', 'stop_sequence'],
    ...['eos', 'eos_token', 'completed', 'complete'],
  ],
  length: [
    ...['length', 'max_tokens', 'max_output_tokens', 'max_completion_tokens', 'model_length'],
    ...['model_context_window_exceeded'],
  ],
  content_filter: [
    ...['content_filter', 'content-filter', 'refusal', 'safety', 'recitation', 'blocklist'],
    ...['prohibited_content', 'sensitive', 'guardrail_intervened'],
  ],
  error: ['error', 'failed', 'insufficient_system_resource', 'malformed_function_call'],
  abort: ['abort', 'aborted', 'cancelled', 'canceled', 'timeout', 'interrupted'],
}
const ends = new Map(Object.entries(words).flatMap(([end, known]) => known.map(word => [word, end] as const)))

/** How an answer ended, if it is not whole or nobody knows the word; undefined: it is whole. */
export const endOf = (word: string): End | undefined => {
  // The endpoint of Gemini puts its own word behind that of OpenAI: content_filter: SAFETY
  const known = [word, ...word.split(/[:\s]+/)].map(each => ends.get(each.toLowerCase()))
  const end = known.find(found => found !== undefined) ?? 'unknown'
  return end === 'whole' ? undefined : (end as End)
}
