// Good requests, made by hand: a turn with an image and a tool, and the next one, which keeps all that the endpoint sent.
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import type { ImitationName } from './all.ts'

export const image = 'data:image/png;base64,iVBORw0KGgo='
export const parameters = { type: 'object', properties: { a: { type: 'number' } } }
const asked = 'what is in this image, and what is 1+1?'

/** An endpoint for which a good request has no image. */
const blind: ImitationName[] = ['deepseek']

export const firstTurn = (name: ImitationName, model: string): Fields => {
  if (name === 'anthropic') {
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
    return {
      model,
      max_tokens: 4096,
      system: 'You add.',
      thinking: { type: 'enabled', budget_tokens: 1024 },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: asked },
            { type: 'image', source },
          ],
        },
      ],
      tools: [{ name: 'add', description: 'Adds.', input_schema: parameters }],
    }
  }
  const parts = [
    { type: 'text', text: asked },
    { type: 'image_url', image_url: { url: image } },
  ]
  return {
    model,
    messages: [
      { role: 'system', content: 'You add.' },
      { role: 'user', content: blind.includes(name) ? asked : parts },
    ],
    tools: [{ type: 'function', function: { name: 'add', description: 'Adds.', parameters } }],
  }
}

/** The message of an answer, as a client sends it back. */
const messageIn = (answer: Fields): Fields => {
  const { refusal: _, ...message } = fieldsOf(fieldsOf(listOf(answer.choices)[0]).message)
  return message
}

/** The turn after an answer with calls, each of which has the result two. */
export const secondTurn = (name: ImitationName, first: Fields, answer: Fields): Fields => {
  const messages = listOf(first.messages)
  if (name === 'anthropic') {
    const content = listOf(answer.content).map(fieldsOf)
    const results = content.flatMap(({ type, id }) =>
      type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'two' }] : [],
    )
    return {
      ...first,
      messages: [...messages, { role: 'assistant', content }, { role: 'user', content: results }],
    }
  }
  const message = messageIn(answer)
  const results = listOf(message.tool_calls)
    .map(fieldsOf)
    .map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'two' }))
  return { ...first, messages: [...messages, message, ...results] }
}

/** A turn in Responses, and the one after it. */
export const firstResponse = (model: string): Fields => ({
  model,
  instructions: 'You add.',
  include: ['reasoning.encrypted_content'],
  store: false,
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: asked },
        { type: 'input_image', image_url: image },
      ],
    },
  ],
  tools: [{ type: 'function', name: 'add', description: 'Adds.', parameters, strict: false }],
})
export const secondResponse = (first: Fields, answer: Fields): Fields => {
  const items = listOf(answer.output).map(fieldsOf)
  const outputs = items.flatMap(({ type, call_id }) =>
    type === 'function_call' ? [{ type: 'function_call_output', call_id, output: 'two' }] : [],
  )
  return { ...first, input: [...listOf(first.input), ...items, ...outputs] }
}
