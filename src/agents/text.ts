// Text in and out of contents.
import type { MessageContent } from '../contract/wire.ts'

/** All text of a content, in order; parts that are no text are left out. */
export const textOf = (content: MessageContent, between = '\n'): string =>
  typeof content === 'string'
    ? content
    : content
        .map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : ''))
        .filter(text => text !== '')
        .join(between)

/** Words with the space that follows them, so that together they are the text again. */
export const words = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []
