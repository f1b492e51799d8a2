// What an endpoint of chat completions gives with a turn and gets back with it, beside the texts and calls.
import type { Fields } from '../fields.ts'

/** Where the reasoning came: a field of the message, tags in the text, or parts of the content. */
export const reasoningPlaces = ['reasoning_content', 'reasoning', 'think', 'thinking'] as const
export type ReasoningPlace = (typeof reasoningPlaces)[number]

/**
 * `message`: further fields of the message, such as `reasoning_details`. `calls`: further fields of each call, such as
 * signatures, in the order of the calls; null: the call had none.
 */
export type CompletionsExtras = { reasoning?: ReasoningPlace; message?: Fields; calls?: (Fields | null)[] }

export const completionsExtras = (extras: Fields | undefined): CompletionsExtras =>
  (extras ?? {}) as CompletionsExtras
