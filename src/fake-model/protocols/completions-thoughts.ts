// Where Chat Completions have reasoning. OpenAI does not send it, so every other provider has chosen a place of its own.
import type { Answer, ReasoningPlace } from '../answer.ts'
import type { Block } from '../blocks.ts'
import { type Fields, listOf } from '../question.ts'

/** How a piece of reasoning, its signature, and redacted reasoning are told in each place. */
type Place = Record<'reasoning' | 'signature' | 'redacted', (text: string) => Fields | undefined>
const nothing = () => undefined
const textField = (name: string): Place => ({
  reasoning: text => ({ [name]: text }),
  signature: nothing,
  redacted: nothing,
})
const detail = (type: string, fields: Fields) => ({
  reasoning_details: [{ type: `reasoning.${type}`, ...fields, format: 'anthropic-claude-v1', index: 0 }],
})
const places: Record<ReasoningPlace, Place> = {
  reasoning_content: textField('reasoning_content'),
  reasoning: textField('reasoning'),
  reasoning_text: textField('reasoning_content'),
  think: textField('reasoning_content'),
  reasoning_details: {
    reasoning: text => ({ reasoning: text, ...detail('text', { text }) }),
    signature: signature => detail('text', { signature }),
    redacted: data => detail('encrypted', { data }),
  },
  thinking: {
    reasoning: text => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }),
    signature: nothing,
    redacted: nothing,
  },
}
export const placeOf = ({ reasoning_as }: Answer): Place => places[reasoning_as ?? 'reasoning_content']

/** The reasoning of a message that is not streamed, in its place. `content`: the text of the message. */
export const thoughtsOf = (answer: Answer, blocks: Block[], content: string | null): Fields => {
  const place = placeOf(answer)
  const parts = blocks.flatMap(({ kind, text, signature }) =>
    kind === 'reasoning'
      ? [place.reasoning(text), signature === undefined ? undefined : place.signature(signature)]
      : kind === 'redacted'
        ? [place.redacted(text)]
        : [],
  )
  const fields = parts.filter(part => part !== undefined)
  const [thinking] = fields
  if (thinking?.content !== undefined) {
    const said = content === null ? [] : [{ type: 'text', text: content }]
    return { content: [...listOf(thinking.content), ...said] }
  }
  const details = fields.flatMap(field => listOf(field.reasoning_details))
  return { ...thinking, ...(details.length === 0 ? {} : { reasoning_details: details }) }
}
