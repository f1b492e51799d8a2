// The kind: a task waits for an endpoint that says nothing, or does not wait for one that is at work. Only a message of
// the answer is a sign of life, and after the end of an answer little time is left. The clock is given.
import t from 'tap'
import { sse } from '../../agents/streams/replay.ts'
import { delta } from '../../support/fake-model.ts'
import { testWorld } from '../../support/world.ts'
import { fetchOf, limitMs, played } from '../random/play.ts'
import { type Outcome, outcomeOf } from './outcome.ts'

const text = sse(delta({ content: 'hello' }))
const stop = sse(delta({}, 'stop'))
const done = sse('[DONE]')
const usage = sse({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })
const call = sse(
  delta(
    { tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: '{"at":1}' } }] },
    'tool_calls',
  ),
)
type Sent = Partial<Parameters<typeof fetchOf>[1]> & { text: string }
const said: Outcome = { end: 'answer', text: 'hello' }
const lost: Outcome = { end: 'again', text: 'hello' }

/** What is sent, the outcome, and the milliseconds that the step takes. */
const table: Record<string, [sent: Sent, outcome: Outcome, ms: number]> = {
  'a text, and then nothing': [{ text }, lost, limitMs],
  'a text, and then comments': [{ text, again: ': keep-alive\n\n' }, lost, limitMs],
  'a text, and then empty data': [{ text, again: 'data:\n\n' }, lost, limitMs],
  'a text, and then data of blanks': [{ text, again: 'data:  \n\n' }, lost, limitMs],
  'a text, and then blank lines': [{ text, again: '\n\n' }, lost, limitMs],
  'a text, and then no choices': [{ text, again: sse({ choices: [] }) }, lost, limitMs],
  'a text, and then named events without data': [{ text, again: 'event: ping\n\n' }, lost, limitMs],
  'a text, and then the beginning of an event': [{ text: `${text}data: {"choi` }, lost, limitMs],
  'nothing at all': [{ text: '' }, { end: 'again' }, limitMs],
  'comments alone': [{ text: '', again: ': processing\n\n' }, { end: 'again' }, limitMs],
  'a head that comes late': [{ text: text + stop + done, head: limitMs - 200 }, said, limitMs - 200],
  'a head that comes too late': [
    { text: text + stop + done, head: limitMs + 200 },
    { end: 'again' },
    limitMs,
  ],
  'a late head, and a pause': [
    { text: text + stop + done, head: limitMs - 200, pause: { at: 0, ms: limitMs - 200 } },
    said,
    2 * (limitMs - 200),
  ],
  'a pause in the text': [
    { text: text + text + stop + done, pause: { at: text.length, ms: limitMs - 200 } },
    { ...said, text: 'hellohello' },
    limitMs - 200,
  ],
  'a pause that is too long': [
    { text: text + text + stop + done, pause: { at: text.length, ms: limitMs + 200 } },
    lost,
    limitMs,
  ],
  'an end reason, and then nothing': [{ text: text + stop }, said, 2000],
  'an end reason, and then comments': [{ text: text + stop, again: ': keep-alive\n\n' }, said, 2000],
  'an end reason, a pause and usage': [
    { text: text + stop + usage + done, pause: { at: (text + stop).length, ms: 1500 } },
    said,
    1500,
  ],
  'the end reason of a call, and then nothing': [
    { text: call },
    { end: 'continue', calls: ['look {"at":1}'] },
    2000,
  ],
  '[DONE], and then nothing': [{ text: text + stop + done }, said, 0],
  '[DONE] without an end reason, and then nothing': [{ text: text + done }, said, 0],
  '[DONE], and then comments': [{ text: text + done, again: ': keep-alive\n\n' }, said, 0],
}

for (const [name, [{ text: sent, ...more }, outcome, ms]] of Object.entries(table)) {
  t.test(name, async t => {
    const world = testWorld()
    const { result, ms: taken } = await played(
      world,
      fetchOf(world, { bytes: Buffer.from(sent), sizes: [1000], end: 'stay', ...more }),
    )
    t.same(result && outcomeOf(result.said, result.end), outcome)
    // The clock moves by tenths of a second.
    t.ok(taken >= ms && taken <= ms + 200, `it takes ${taken} ms in place of ${ms}`)
  })
}
