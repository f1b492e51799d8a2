// The sources that an endpoint names for its text become annotations of that text.
import t from 'tap'
import type { Fields } from '../../src/agents/model/endpoint-values.ts'
import { replayTasks, sse } from './streams/replay.ts'

const page = { url: 'https://example.com/a', title: 'A page', start_index: 0, end_index: 5 }
const shown = { type: 'url_citation', ...page }
const nested = { type: 'url_citation', url_citation: page }
const file = { type: 'file_citation', file_id: 'f1', filename: 'a.txt', index: 3 }
const own = { type: 'char_location', cited_text: 'so', start_char_index: 1 }

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c1',
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
})
const whole = (body: object) => ({
  body: [JSON.stringify(body)],
  headers: { 'content-type': 'application/json' },
})
const streamed = (...chunks: (object | string)[]) => ({ body: [sse(...chunks)] })

const response = (content: object[]) => ({
  id: 'r1',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', id: 'm1', role: 'assistant', status: 'completed', content }],
})
const textOf = (...annotations: object[]) => ({ type: 'output_text', text: 'It is so.', annotations })
const of = (type: string, fields: Fields) => ({ type, ...fields })

/** What the endpoint answers, and the annotations that come of it. */
const cases: Record<
  string,
  [dialect: string, ReturnType<typeof whole> | ReturnType<typeof streamed>, object[]]
> = {
  'beside a piece of the text': [
    'plain',
    streamed(
      chunk({ content: 'It is', annotations: [nested] }),
      chunk({ content: ' so.' }, 'stop'),
      '[DONE]',
    ),
    [shown],
  ],
  'before the text': [
    'plain',
    streamed(chunk({ annotations: [nested] }), chunk({ content: 'It is so.' }, 'stop'), '[DONE]'),
    [shown],
  ],
  'after the text, in two messages': [
    'plain',
    streamed(
      ...['It', ' is', ' so', '.'].map(content => chunk({ content })),
      chunk({ annotations: [nested] }),
      chunk({ annotations: [file] }, 'stop'),
      '[DONE]',
    ),
    [shown, file],
  ],
  'in a whole answer': [
    'plain',
    whole({
      choices: [
        {
          message: { role: 'assistant', content: 'It is so.', annotations: [nested, own] },
          finish_reason: 'stop',
        },
      ],
    }),
    [shown, own],
  ],
  'in events of Responses': [
    'openai-responses',
    streamed(
      of('response.output_item.added', { output_index: 0, item: { type: 'message', id: 'm1' } }),
      of('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'It is so.' }),
      of('response.output_text.annotation.added', { output_index: 0, content_index: 0, annotation: shown }),
      of('response.output_item.done', {
        output_index: 0,
        item: { type: 'message', content: [textOf(shown)] },
      }),
      of('response.completed', { response: response([textOf(shown)]) }),
    ),
    [shown],
  ],
  'only at the end of an item of Responses': [
    'openai-responses',
    streamed(
      of('response.output_item.added', { output_index: 0, item: { type: 'message', id: 'm1' } }),
      of('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'It is so.' }),
      of('response.output_item.done', {
        output_index: 0,
        item: { type: 'message', content: [textOf(file)] },
      }),
      of('response.completed', { response: response([textOf(file)]) }),
    ),
    [file],
  ],
  'in a whole answer of Responses': [
    'openai-responses',
    whole(response([textOf(shown, file)])),
    [shown, file],
  ],
  'in events of Messages': [
    'anthropic',
    streamed(
      of('message_start', { message: { id: 'm', model: 'any' } }),
      of('content_block_start', { index: 0, content_block: { type: 'text', text: '', citations: [] } }),
      of('content_block_delta', { index: 0, delta: { type: 'citations_delta', citation: own } }),
      of('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'It is so.' } }),
      of('content_block_delta', {
        index: 0,
        delta: {
          type: 'citations_delta',
          citation: { type: 'web_search_result_location', url: page.url, title: page.title, cited_text: 'x' },
        },
      }),
      of('content_block_stop', { index: 0 }),
      of('message_delta', { delta: { stop_reason: 'end_turn' } }),
      of('message_stop', {}),
    ),
    [own, { type: 'url_citation', url: page.url, title: page.title }],
  ],
  'that are odd are left out': [
    'plain',
    streamed(
      chunk({
        content: 'It is so.',
        annotations: [
          ...[null, 'x', {}, { type: 7 }, { type: 'url_citation' }, { type: 'file_path', index: 1 }],
          ...[{ type: 'big', text: 'x'.repeat(5000) }, { type: 'deep', a: [[[[[[[[[1]]]]]]]]] }, nested],
        ],
      }),
      chunk({}, 'stop'),
      '[DONE]',
    ),
    [shown],
  ],
}

for (const [name, [dialect, answer, expected]] of Object.entries(cases)) {
  t.test(`sources ${name} stand in the text of the item`, async t => {
    const { ask, frames } = await replayTasks(t, () => answer, { MODEL_DIALECT: dialect })
    const task = await ask()
    t.equal(task.status, 'completed')
    const [item, ...more] = task.output
    t.same(more, [])
    t.match(item?.message_content, [{ type: 'output_text', text: 'It is so.', annotations: expected }])
    const [part] = (item?.message_content ?? []) as { annotations: object[] }[]
    t.same(part?.annotations, expected)
    const done = (await frames(task.id)).find(({ type }) => type === 'task.output_item.done')
    t.same((done?.item as typeof item)?.message_content, item?.message_content, 'and in its frames')
  })
}
