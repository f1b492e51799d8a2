// What an endpoint of Messages gives with a turn and gets back with it, beside the texts and calls.
import type { Place } from '../in-place.ts'

/** A thought with its signature, or one that only the endpoint can read. */
export type MessagesThought = Place & ({ signature: string } | { redacted: string })

/** `thoughts`: in the order in which the model had them. */
export type MessagesExtras = { thoughts?: MessagesThought[] }

export const messagesExtras = (extras: Record<string, unknown> | undefined): MessagesExtras =>
  (extras ?? {}) as MessagesExtras
