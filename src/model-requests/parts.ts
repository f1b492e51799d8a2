// What all protocols do with the parts of contents.
import type { ContentPart } from '../contract/wire.ts'
import type { ResultPart } from './prompt.ts'
import type { Switches } from './switches.ts'

export const isText = (part: ContentPart): part is string | Extract<ContentPart, { text: string }> =>
  typeof part === 'string' || 'text' in part

/** The text of each part, where endpoints take nothing else. */
export const asTexts = (content: readonly ContentPart[]): string[] =>
  content.map(part =>
    isText(part)
      ? typeof part === 'string'
        ? part
        : part.text
      : partNote(`a part of the type ${part.type}`),
  )

/** The text in place of a part that an endpoint does not take. */
export const partNote = (what: string): string => `[${what} that this model cannot take]`

/** The text of a thought that came with a request. Every endpoint takes text, but many refuse or drop unknown fields. */
export const thoughtText = (text: string): string => `[thought] ${text}`

/**
 * The parts of a result that are no text, when they may not stay in it. `note` stands in their place, and `beside` is
 * what a user says after the results. Undefined: the result stays as it is.
 */
export const taken = (
  { name, content }: ResultPart,
  { tool_images }: Switches,
): { texts: ContentPart[]; note: string; beside: ContentPart[] } | undefined => {
  const other = content.filter(part => !isText(part))
  if (other.length === 0 || tool_images === 'tool') return undefined
  const texts = content.filter(isText)
  const things = other.length === 1 ? 'one thing' : `${other.length} things`
  if (tool_images === 'off') return { texts, note: partNote(things), beside: [] }
  const are = other.length === 1 ? 'is' : 'are'
  const note = `[${things} that ${are} no text: see the next message]`
  return { texts, note, beside: [`From the tool ${name}:`, ...other] }
}
