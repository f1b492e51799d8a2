// What an endpoint of Responses gives with a turn and gets back with it, beside the texts and calls.
import type { Place } from '../in-place.ts'

/**
 * A reasoning item. `sealed`: its encrypted content. `lengths`: of the parts of its text, if there are several; `gap`
 * stands between them. `raw`: its text is the reasoning itself, not a summary.
 */
export type ResponsesThought = Place & { id?: string; sealed?: string; lengths?: number[]; raw?: true }

/** `thoughts`: in the order in which the model had them. `phases`: of its messages in their order; null: it had none. */
export type ResponsesExtras = { thoughts?: ResponsesThought[]; phases?: (string | null)[] }

export const responsesExtras = (extras: Record<string, unknown> | undefined): ResponsesExtras =>
  (extras ?? {}) as ResponsesExtras

/** What stands between the parts of a reasoning item in the text that people see. */
export const gap = '\n\n'

/** The parts of a reasoning item, from the text that people see. */
export const partsOfThought = (text: string, { lengths = [text.length] }: ResponsesThought): string[] => {
  const whole = lengths.reduce((sum, length) => sum + length, gap.length * (lengths.length - 1))
  if (whole !== text.length) return [text]
  let at = 0
  return lengths.map(length => {
    const part = text.slice(at, at + length)
    at += length + gap.length
    return part
  })
}
