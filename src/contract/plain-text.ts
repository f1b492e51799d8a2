// Takes the plain text out of the content of a message.
import type { MessageContent } from './wire.ts'

/** All text of a content, in order, without the parts that are not text. */
export const plainText = (content: MessageContent, between = '\n'): string =>
  typeof content === 'string'
    ? content
    : content
        .map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : ''))
        .filter(text => text !== '')
        .join(between)
