// Takes the plain text out of the content of a message, and splits a text into words.
import type { MessageContent } from '../contract/wire.ts'

/** All text of a content, in order, without the parts that are not text. */
export const plainText = (content: MessageContent, between = '\n'): string =>
  typeof content === 'string'
    ? content
    : content
        .map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : ''))
        .filter(text => text !== '')
        .join(between)

/** Splits a text into words, each with the space that follows it. Joined, the words are the text again. */
export const words = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []
