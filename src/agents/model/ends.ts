// What the words mean with which endpoints say why an answer ended.
import type { ModelResponse } from '../../contract/events/task-events.ts'

type End = NonNullable<ModelResponse['end']>

const words: Record<'whole' | Exclude<End, 'unknown'>, string[]> = {
  whole: [
    ...['stop', 'tool_calls', 'function_call', 'tool_use', 'end_turn', 'stop_sequence'],
    ...['eos', 'eos_token', 'completed', 'complete'],
  ],
  length: [
    ...['length', 'max_tokens', 'max_output_tokens', 'max_completion_tokens', 'model_length'],
    ...['model_context_window_exceeded'],
  ],
  content_filter: [
    ...['content_filter', 'refusal', 'safety', 'recitation', 'blocklist'],
    ...['prohibited_content', 'sensitive', 'guardrail_intervened'],
  ],
  error: ['error', 'failed', 'insufficient_system_resource', 'malformed_function_call'],
  abort: ['abort', 'aborted', 'cancelled', 'canceled', 'timeout', 'interrupted', 'pause_turn', 'incomplete'],
}
/** A word without its case and signs: endpoints write contentFilter, CONTENT_FILTER and content-filter. */
const bare = (word: string): string => word.toLowerCase().replace(/[^a-z]/g, '')
const ends = new Map(
  Object.entries(words).flatMap(([end, known]) => known.map(word => [bare(word), end] as const)),
)
/** What a word means; undefined: nobody knows it. Vendors have many words for errors, such as network_error. */
const meaning = (word: string): string | undefined =>
  ends.get(bare(word)) ?? (/[^a-z]error$/i.test(word) ? 'error' : undefined)

/** How an answer ended, if it is not whole or nobody knows the word; undefined: it is whole. */
export const endOf = (word: string): End | undefined => {
  // The endpoint of Gemini puts its own word behind that of OpenAI, and libraries the type of the word before it:
  // content_filter: SAFETY, FinishReason.SAFETY
  const known = [word, ...word.split(/[:.\s]+/)].map(meaning)
  const end = known.find(found => found !== undefined) ?? 'unknown'
  return end === 'whole' ? undefined : (end as End)
}

/** Whether a word says that the answer was cut. */
export const saysCut = (word: string | undefined): word is string =>
  word !== undefined && !['unknown', undefined].includes(endOf(word))
