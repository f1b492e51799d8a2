// For each rule of each imitation, a request that breaks this rule: a good second turn, with one thing changed.
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import type { ImitationName } from './all.ts'
import { image } from './good.ts'

/** `good`: the second turn. A change may return other headers, another path or an exact body instead of fields. */
export type Bad = { body: Fields } | { headers: Record<string, string> } | { query: string } | { raw: string }
export type Break = (good: Fields) => Bad

const to =
  (change: (good: Fields) => Fields): Break =>
  good => ({ body: { ...good, ...change(good) } })
const messagesIn = ({ messages }: Fields): Fields[] => listOf(messages).map(fieldsOf)
/** Changes the messages. */
const said = (change: (messages: Fields[]) => unknown[]): Break =>
  to(good => ({ messages: change(messagesIn(good)) }))
/** Changes the messages of one role. */
const of = (role: string, change: (message: Fields) => Fields): Break =>
  said(messages => messages.map(each => (each.role === role ? { ...each, ...change(each) } : each)))
/** Changes the calls of the history. */
const calls = (change: (call: Fields) => Fields): Break =>
  of('assistant', ({ tool_calls }) =>
    tool_calls === undefined
      ? {}
      : {
          tool_calls: listOf(tool_calls)
            .map(fieldsOf)
            .map(each => ({ ...each, ...change(each) })),
        },
  )
const called = (more: Fields): Break =>
  calls(({ function: inner }) => ({ function: { ...fieldsOf(inner), ...more } }))
const noKey: Break = () => ({ headers: {} })
const ask = { role: 'user', content: 'and now?' }
const inImage = (url: string): Break =>
  of('user', () => ({ content: [{ type: 'image_url', image_url: { url } }] }))
const tool = (name: string) => ({
  tools: [{ type: 'function', function: { name, parameters: { type: 'object' } } }],
})
const schema = (json_schema: Fields) => ({ response_format: { type: 'json_schema', json_schema } })
const loose = { name: 'a', strict: true, schema: { type: 'object', properties: { b: { type: 'string' } } } }

const openaiChat: Record<string, Break> = {
  schema: to(() => ({ top_k: 3 })),
  'max-tokens': to(() => ({ max_tokens: 100 })),
  temperature: to(() => ({ temperature: 0.5 })),
  'unanswered-calls': said(messages => messages.slice(0, -1)),
  'stray-results': said(messages => [...messages, ask, messages.at(-1)]),
  'image-of-a-tool': of('tool', () => ({ content: [{ type: 'image_url', image_url: { url: image } }] })),
  'long-call-id': said(messages => {
    const long = (id: unknown) => String(id).padEnd(41, 'x')
    return messages.map(each => ({
      ...each,
      ...(each.tool_call_id === undefined ? {} : { tool_call_id: long(each.tool_call_id) }),
      ...(each.tool_calls === undefined
        ? {}
        : {
            tool_calls: listOf(each.tool_calls).map(call => ({
              ...fieldsOf(call),
              id: long(fieldsOf(call).id),
            })),
          }),
    }))
  }),
  'tool-name': to(() => tool('my.tool')),
  'loose-schema': to(() => schema(loose)),
}
const inputOf = ({ input }: Fields): Fields[] => listOf(input).map(fieldsOf)
/** Changes the input of Responses. */
const input = (change: (items: Fields[]) => unknown[]): Break =>
  to(good => ({ input: change(inputOf(good)) }))
/** Broken requests of Responses. */
export const badResponses: Record<string, Break> = {
  'responses-schema': to(() => ({ messages: [] })),
  'lonely-reasoning': input(items => [...items, { type: 'reasoning', id: 'rs_9', summary: [] }]),
  'call-without-reasoning': input(items => items.filter(({ type }) => type !== 'reasoning')),
  'open-calls': input(items => items.slice(0, -1)),
  'stray-outputs': input(items => [...items, { type: 'function_call_output', call_id: 'x', output: '' }]),
  'long-responses-call-id': input(items => {
    const id = 'x'.repeat(65)
    return [
      ...items,
      { type: 'function_call', call_id: id, name: 'add', arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: '' },
    ]
  }),
  'loose-responses-schema': to(() => ({ text: { format: { type: 'json_schema', ...loose } } })),
}

const blocks = (role: string, change: (blocks: Fields[]) => unknown[]): Break =>
  of(role, ({ content }) => (Array.isArray(content) ? { content: change(content.map(fieldsOf)) } : {}))
const anthropic: Record<string, Break> = {
  key: () => ({ headers: { 'anthropic-version': '2023-06-01' } }),
  version: () => ({ headers: { 'x-api-key': 'sk-imitation' } }),
  'lone-surrogate': good => ({ raw: JSON.stringify({ ...good, system: 'half \ud83c' }) }),
  role: said(messages => [{ role: 'system', content: 'You add.' }, ...messages]),
  'tool-name': blocks('assistant', all =>
    all.map(block => (block.type === 'tool_use' ? { ...block, name: 'my.tool' } : block)),
  ),
  budget: to(() => ({ thinking: { type: 'enabled', budget_tokens: 512 } })),
  schema: ({ max_tokens: _, ...good }) => ({ body: good }),
  'empty-text': said(messages => [...messages, { role: 'user', content: '' }]),
  'budget-and-max-tokens': to(() => ({ max_tokens: 1024 })),
  'temperature-and-thinking': to(() => ({ temperature: 0 })),
  'forced-tool-and-thinking': to(() => ({ tool_choice: { type: 'any' } })),
  'open-uses': blocks('user', all =>
    all.some(({ type }) => type === 'tool_result') ? [{ type: 'text', text: 'here' }, ...all] : all,
  ),
  'stray-results': said(messages => [
    ...messages,
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_x', content: 'x' }] },
  ]),
  'thoughts-first': blocks('assistant', all => all.filter(({ type }) => type !== 'thinking')),
  signature: blocks('assistant', all =>
    all.map(block => (block.type === 'thinking' ? { ...block, thinking: 'something else' } : block)),
  ),
}

export const bad: Record<ImitationName, Record<string, Break>> = {
  openai: { key: noKey, ...openaiChat },
  azure: {
    key: noKey,
    'api-version': () => ({ query: '' }),
    'stream-options': () => ({ query: '?api-version=2024-06-01' }),
    ...openaiChat,
    'content-filter': of('user', () => ({ content: 'how to build a bomb' })),
  },
  anthropic,
  gemini: {
    key: noKey,
    'unknown-name': to(() => ({ frequency_penalty: 1 })),
    'tool-name': to(() => tool('1st')),
    'unanswered-calls': said(messages => messages.slice(0, -1)),
    'thought-signature': calls(({ id }) => ({ id, extra_content: undefined })),
  },
  mistral: {
    key: noKey,
    schema: of('assistant', () => ({ reasoning_content: 'I think' })),
    'call-id': said(messages =>
      messages.map(each => ({
        ...each,
        ...(each.tool_call_id === undefined ? {} : { tool_call_id: 'call_1' }),
      })),
    ),
    'message-order': said(messages => [...messages, ask]),
    'unanswered-calls': said(messages => messages.slice(0, -1)),
    'function-name': called({ name: 'my.tool' }),
  },
  deepseek: {
    key: noKey,
    'lone-surrogate': good => ({ raw: JSON.stringify({ ...good, user: 'half \ud83c' }) }),
    image: inImage(image),
    'unanswered-calls': said(messages => messages.slice(0, -1)),
    'stray-results': said(messages => [...messages, ask, messages.at(-1)]),
    'reasoning-content': of('assistant', () => ({ reasoning_content: undefined })),
    'json-schema': to(() => schema(loose)),
    'json-in-words': to(() => ({ response_format: { type: 'json_object' } })),
  },
  openrouter: {
    key: noKey,
    'reasoning-details': of('assistant', () => ({ reasoning_details: undefined })),
    'reasoning-signature': of('assistant', ({ reasoning_details }) => ({
      reasoning_details: listOf(reasoning_details).map(detail => {
        const fields = fieldsOf(detail)
        return fields.text === undefined ? fields : { ...fields, text: 'something else' }
      }),
    })),
    'tool-name': to(() => tool('my.tool')),
  },
  vllm: {
    model: to(() => ({ model: 'other' })),
    'malformed-arguments': called({ arguments: '{"a": 1' }),
    'arguments-no-object': called({ arguments: '[1]' }),
  },
  'llama.cpp': {
    messages: said(messages => [...messages, { role: 'user' }]),
    'content-type': of('user', () => ({ content: [{ type: 'file', file: {} }] })),
    'image-url': inImage('data:text/plain;base64,aGk='),
    'response-format': to(() => ({ response_format: { type: 'grammar' } })),
    'two-assistants-last': said(messages => [
      ...messages,
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: 'b' },
    ]),
    'malformed-arguments': called({ arguments: '{"a": 1' }),
    'alternating-roles': said(messages => [...messages, ask]),
  },
  ollama: {
    messages: to(() => ({ messages: [] })),
    content: of('system', () => ({ content: null })),
    image: inImage('https://example.com/a.png'),
    'malformed-arguments': called({ arguments: '{"a": 1' }),
    effort: to(() => ({ reasoning_effort: 'extreme' })),
    model: to(() => ({ model: 'other' })),
  },
}
