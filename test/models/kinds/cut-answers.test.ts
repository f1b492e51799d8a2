// The kind: an answer that its endpoint cut counts as whole. Its item is incomplete, the task says why, and none of its
// calls runs, unless the answer was only too long and the call is whole.
import t from 'tap'
import { replayTasks, sse } from '../../agents/streams/replay.ts'
import { outline } from '../../http/agent-tasks.ts'
import { delta } from '../../support/fake-model.ts'
import { type Outcome, plays, stream } from './outcome.ts'

const text = delta({ content: 'hello' })
const call = delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{"at":1}' } }] })
const half = delta({ tool_calls: [{ index: 1, id: 'b', function: { name: 'look', arguments: '{"at":' } }] })
const ended = (reason: unknown, more: object = {}) => ({
  choices: [{ index: 0, delta: {}, finish_reason: reason, ...more }],
})
const streamed = (...chunks: object[]) => stream(sse(...chunks, '[DONE]'))

const words: Record<string, [reason: unknown, cut: string | undefined]> = {
  stop: ['stop', undefined],
  'STOP in capitals': ['STOP', undefined],
  'the end of a turn': ['end_turn', undefined],
  length: ['length', 'length'],
  'MAX_TOKENS in capitals': ['MAX_TOKENS', 'length'],
  'the context is full': ['model_context_window_exceeded', 'length'],
  content_filter: ['content_filter', 'content_filter'],
  Content_Filter: ['Content_Filter', 'content_filter'],
  'content-filter': ['content-filter', 'content_filter'],
  'contentFilter in one word': ['contentFilter', 'content_filter'],
  SAFETY: ['SAFETY', 'content_filter'],
  'content_filter: SAFETY': ['content_filter: SAFETY', 'content_filter'],
  'FinishReason.SAFETY': ['FinishReason.SAFETY', 'content_filter'],
  PROHIBITED_CONTENT: ['PROHIBITED_CONTENT', 'content_filter'],
  error: ['error', 'error'],
  Error: ['Error', 'error'],
  network_error: ['network_error', 'error'],
  'no resources': ['insufficient_system_resource', 'error'],
  MALFORMED_FUNCTION_CALL: ['MALFORMED_FUNCTION_CALL', 'error'],
  abort: ['abort', 'abort'],
  cancelled: ['cancelled', 'abort'],
  'a word that nobody knows': ['tired', undefined],
  'a word that only looks like one that is known': ['nonstop', undefined],
  'a number': [7, undefined],
}

t.test('texts', t =>
  plays(
    t,
    Object.fromEntries(
      Object.entries(words).map(([name, [reason, cut]]) => [
        name,
        [streamed(text, ended(reason)), { end: 'answer', text: 'hello', ...(cut && { cut }) } as Outcome],
      ]),
    ),
  ),
)

t.test('whole calls', t =>
  plays(
    t,
    Object.fromEntries(
      Object.entries(words).map(([name, [reason, cut]]) => {
        const isMade = cut === undefined || cut === 'length'
        const outcome = isMade ? { end: 'continue', calls: ['look {"at":1}'] } : { end: 'correct' }
        return [name, [streamed(call, ended(reason)), { ...outcome, ...(cut && { cut }) } as Outcome]]
      }),
    ),
  ),
)

t.test('neighbours', t =>
  plays(t, {
    'half a call after a whole one, cut for its length': [
      streamed(call, half, ended('length')),
      { end: 'continue', calls: ['look {"at":1}'], cut: 'length' },
    ],
    'a call without its arguments, cut for its length': [
      streamed(
        delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '' } }] }),
        ended('length'),
      ),
      { end: 'correct', cut: 'length' },
    ],
    'half a call after a whole one, cut by a filter': [
      streamed(call, half, ended('content_filter')),
      { end: 'correct', cut: 'content_filter' },
    ],
    'a text and a call, cut by a filter': [
      streamed(text, call, ended('content_filter')),
      { end: 'correct', text: 'hello', cut: 'content_filter' },
    ],
    'the reason in the chunk of the text': [
      streamed({ choices: [{ delta: { content: 'hello' }, finish_reason: 'content_filter' }] }),
      { end: 'answer', text: 'hello', cut: 'content_filter' },
    ],
    'a reason, and then another one': [
      streamed(text, ended('content_filter'), ended('stop')),
      { end: 'answer', text: 'hello', cut: 'content_filter' },
    ],
    "the endpoint's own word beside a whole one": [
      streamed(text, ended('stop', { native_finish_reason: 'SAFETY' })),
      { end: 'answer', text: 'hello', cut: 'content_filter' },
    ],
    "the endpoint's own word beside the same one": [
      streamed(text, ended('length', { native_finish_reason: 'MAX_TOKENS' })),
      { end: 'answer', text: 'hello', cut: 'length' },
    ],
    "the endpoint's own word, which is whole, beside a call": [
      streamed(call, ended('tool_calls', { native_finish_reason: 'STOP' })),
      { end: 'continue', calls: ['look {"at":1}'] },
    ],
    "the endpoint's own word, which nobody knows": [
      streamed(text, ended('stop', { native_finish_reason: 'tired' })),
      { end: 'answer', text: 'hello' },
    ],
    'an error with the reason error': [
      streamed(text, { error: { message: 'overloaded' }, ...ended('error') }),
      { end: 'again', text: 'hello' },
    ],
    'nothing but a filter': [
      streamed(ended('content_filter')),
      { end: 'fail: the model said nothing (finish reason: content_filter)' },
    ],
  }),
)

t.test('tasks', async t => {
  const { ask, asked } = await replayTasks(t, ({ content }) => {
    const chunks = {
      filter: [text, ended('content_filter')],
      error: [text, ended('error')],
      abort: [text, ended('abort')],
      length: [text, ended('length')],
      tired: [text, ended('tired')],
      call: [call, ended('content_filter')],
    }[String(content)]
    return { body: [sse(...(chunks ?? [text, ended('stop')]), '[DONE]')] }
  })
  const say = (user_message_content: string) => ask({ user_message_content })
  for (const [word, reason] of Object.entries({
    filter: 'content_filter',
    error: 'error',
    abort: 'abort',
    length: 'length',
  })) {
    const task = await say(word)
    t.same([task.status, outline(task)], ['completed', ['message incomplete']], word)
    t.match(task.metadata?.incomplete_details, { reason, items: [task.output[0]?.id] }, word)
  }
  const tired = await say('tired')
  t.same([outline(tired), tired.metadata?.incomplete_details], [['message completed'], undefined])
  const before = asked.length
  const called = await say('call')
  t.same([called.status, outline(called)], ['completed', ['tool_call look incomplete', 'message completed']])
  t.match(asked.at(-1)?.messages.at(-1), { role: 'user', content: /filter/ }, 'the model is told')
  t.equal(asked.length - before, 2)
})
