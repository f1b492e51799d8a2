// The kind: an endpoint gives so much with its answer, or nests it so deep, that the log and each later request would
// carry it. The answer is refused, and says why.
import t from 'tap'
import { createCompletionsReader } from '../../../src/agents/model/completions-reader.ts'
import { sse } from '../../agents/streams/replay.ts'
import { delta } from '../../support/fake-model.ts'
import { type Outcome, plays, stream } from './outcome.ts'

const MiB = 1024 * 1024
const part = 'x'.repeat(MiB)
const detail = (data: string) =>
  sse(delta({ reasoning_details: [{ type: 'reasoning.encrypted', index: 0, data }] }))
const end = sse(delta({ content: 'said' }, 'stop'), '[DONE]')
const nested = (levels: number) =>
  `data: {"choices":[{"delta":{"extra_content":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}}]}\n\n`
const call = (id: string) => delta({ tool_calls: [{ id, function: { name: 'echo', arguments: '' } }] })
const wants = "fail: what the model's endpoint wants back with its answer is"
const said = (why: string): Outcome => ({ end: `${wants} ${why}`, text: 'said' })
const many = 'fail: the model made more than 128 calls at once'

t.test('what is too much', t =>
  plays(t, {
    'seven pieces of a signature': [
      stream(...Array(7).fill(detail(part)), end),
      { end: 'answer', text: 'said' },
    ],
    'nine pieces': [stream(...Array(9).fill(detail(part)), end), said('longer than 8 Mi characters')],
    'a long id of a call': [
      stream(sse(call('i'.repeat(9 * MiB)), delta({ content: 'said' }, 'tool_calls'), '[DONE]')),
      said('longer than 8 Mi characters'),
    ],
    'sixty levels': [stream(nested(60), end), { end: 'answer', text: 'said' }],
    'a million levels': [stream(nested(MiB), end), said('nested deeper than 64 levels')],
    'calls without end': [stream(sse(...Array.from({ length: 200 }, (_, n) => call(`${n}`)))), { end: many }],
  }),
)

t.test('a name that means something to JavaScript is a name like others', async t => {
  const reader = createCompletionsReader()
  for (const text of ['a', 'b']) {
    const data = `{"choices":[{"delta":{"reasoning_details":[{"index":0,"__proto__":{"type":"${text}"}}]}}]}`
    reader.hear({ event: undefined, data: JSON.parse(data) })
  }
  t.equal(
    JSON.stringify(reader.answer().response.kept),
    '{"message":{"reasoning_details":[{"index":0,"__proto__":{"type":"b"}}]}}',
  )
})
