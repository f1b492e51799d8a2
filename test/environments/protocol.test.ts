// What is said over the line protocol, without a process: lines, messages, answers and what they may leave out, cuts,
// and the numbers that a step draws.
import t from 'tap'
import { beginning, cutContent, cutMark, maxContent } from '../../src/environments/cut.ts'
import { randomOf } from '../../src/environments/host/hosted.ts'
import { observedOf, resetAnswer, stepAnswer, stoppedAnswer } from '../../src/environments/program-answers.ts'
import { readMessage } from '../../src/environments/protocol.ts'
import { createLines, longestLine } from '../../src/platform/programs/lines.ts'

const linesOf = (...chunks: (string | Buffer)[]): string[] => {
  const lines: string[] = []
  const take = createLines(line => lines.push(line))
  for (const chunk of chunks) take(Buffer.from(chunk as string))
  return lines
}

t.test('bytes become lines wherever they are cut, in the middle of a character too', async t => {
  const text = '{"a":"grün"}\r\n\n{"b":"\u2028"}\n'
  const bytes = Buffer.from(text)
  for (let at = 0; at <= bytes.length; at++) {
    const lines = linesOf(bytes.subarray(0, at), bytes.subarray(at))
    t.same(
      lines.map(line => JSON.parse(line)),
      [{ a: 'grün' }, { b: '\u2028' }],
    )
  }
  t.same(linesOf('{"unfinished":'), [])
})

t.test('a line may have 16 MiB, and no byte more', async t => {
  const longest = 'x'.repeat(longestLine)
  t.equal(linesOf(longest, '\n')[0]?.length, longestLine)
  t.throws(() => linesOf(longest, 'x'), { message: 'a line longer than 16 MiB' })
})

t.test('messages are told apart; of later versions they are skipped', async t => {
  const read = (message: object) => readMessage(JSON.stringify(message))
  t.same(read({ id: 1, result: { ok: true } }), { is: 'answer', id: 1, result: { ok: true } })
  t.same(read({ id: 1, error: { message: 'no' } }), { is: 'refusal', id: 1, message: 'no' })
  t.same(read({ id: 1, error: 'no' }), { is: 'refusal', id: 1, message: 'no' })
  t.same(read({ method: 'output', params: { id: 1, text: 'hi' } }), { is: 'output', id: 1, text: 'hi' })
  t.same(read({ method: 'failed', params: { message: 'no' } }), { is: 'failure', message: 'no' })
  t.same(read({ method: 'progress', params: {} }), { is: 'unknown' })
})

t.test(
  'a hello tells classes, with defaults for what they do not say, and what is wrong with them',
  async t => {
    const hello = (classes: unknown, protocol: unknown = 1) =>
      readMessage(JSON.stringify({ method: 'hello', params: { protocol, classes } }))
    t.same(hello([{ name: 'A', default: true }]), {
      is: 'hello',
      hello: {
        classes: [
          {
            ...{ name: 'A', isDefault: true, recovery: 'refold', parameters: {}, description: '' },
            showsObservation: false,
          },
        ],
      },
    })
    const problems = [
      { recovery: 'magic' },
      { parameters: 5 },
      { stepTimeoutMs: 0.5 },
      { showsObservation: 1 },
      { error: 'mine' },
    ]
    t.match(hello(problems.map(problem => ({ name: 'B', ...problem }))), {
      hello: {
        classes: [
          { error: 'recovery is none of refold, snapshot, none' },
          { error: 'parameters is no JSON Schema' },
          { error: 'stepTimeoutMs is no whole number from 1 to 86400000' },
          { error: 'showsObservation is neither true nor false' },
          { error: 'mine' },
        ],
      },
    })
    t.throws(() => hello([{}]), { message: 'a class without a name' })
    t.throws(() => hello('A'), { message: 'a hello without classes' })
    t.throws(() => hello([], 2), { message: 'a hello in version 2 of the protocol' })
  },
)

const tools = [{ type: 'function' as const, function: { name: 'go', parameters: {} } }]
/** The same tools with the fields that their author left out. */
const whole = [
  { type: 'function' as const, function: { name: 'go', parameters: {}, description: '', strict: false } },
]
const last = { state: { last: true }, tools: [] }

t.test('what an answer may leave out has its default', async t => {
  t.same(resetAnswer({ state: { at: 1 }, tools }), {
    state: { at: 1 },
    tools: whole,
    done: false,
    observation: { at: 1 },
  })
  t.same(observedOf({ state: {}, tools: [] }, true), { state: {}, tools: [], done: true })
  t.same(stepAnswer({ content: 'x', state: { at: 2 }, tools }, last), {
    status: 'completed',
    content: 'x',
    blocks: [],
    observation: { at: 2 },
    reward: 0,
    terminated: false,
    truncated: false,
    done: false,
    info: {},
    state: { at: 2 },
    tools: whole,
  })
  t.match(stepAnswer({ content: [], state: {}, tools, truncated: true }, last), { done: true })
})

t.test('a failed step has the newest state that is known, and its error as content', async t => {
  t.match(stepAnswer({ error: 'no' }, last), { status: 'incomplete', content: 'no', error: 'no', ...last })
  t.match(stepAnswer({ error: 'no', state: { at: 3 }, tools }, last), { state: { at: 3 }, tools })
  t.match(stepAnswer({ error: 'no', state: 5, tools }, last), { error: 'the state is no object', ...last })
  t.match(stepAnswer('what', last), { status: 'incomplete', error: 'step gave no object', ...last })
})

t.test('a stopped step keeps what it has said, unless it failed for being stopped', async t => {
  const said = stepAnswer({ content: 'half', state: {}, tools }, last)
  t.match(stoppedAnswer(said, 'stopped'), { status: 'incomplete', content: 'half', error: 'stopped' })
  const failed = stepAnswer({ error: 'AbortError' }, last)
  t.match(stoppedAnswer(failed, 'stopped'), { status: 'incomplete', content: 'stopped', error: 'stopped' })
})

t.test('content of every kind passes, content of none does not', async t => {
  const part = (content: unknown) => stepAnswer({ content: [content], state: {}, tools }, last).status
  const fitting = [
    'text',
    { type: 'output_text', text: 'x' },
    { type: 'image_url', image_url: { url: 'data:,' } },
    { type: 'audio', input_audio: { data: '', format: 'wav' } },
    { type: 'file', file: { file_url: 'x', filename: 'y' } },
  ]
  for (const one of fitting) t.equal(part(one), 'completed')
  const unfitting = [5, null, [], {}, { type: 'text' }, { type: 'image', image_url: 'x' }, { type: 'audio' }]
  for (const one of unfitting) t.equal(part(one), 'incomplete')
})

t.test('a text is cut at 1 MiB of UTF-8, between characters, and says so', async t => {
  for (const character of ['x', 'ä', '€', '😀']) {
    const text = character.repeat(maxContent + 1)
    const cut = cutContent(text) as string
    const kept = cut.slice(0, -cutMark.length)
    t.ok(cut.endsWith(character + cutMark) && text.startsWith(kept))
    const bytes = Buffer.byteLength(kept)
    t.ok(bytes <= maxContent && bytes > maxContent - 4, `${bytes}`)
  }
  const fits = 'x'.repeat(maxContent)
  t.equal(cutContent(fits), fits)
  t.equal(beginning('a😀', 3), 'a')
})

t.test('the items of a list share the room; what cannot be cut is left out', async t => {
  const half = { type: 'text' as const, text: 'x'.repeat(maxContent / 2) }
  t.same(cutContent([half, half]), [half, half])
  t.same(cutContent([half, half, 'more', 'and more']), [half, half, cutMark])
  const image = { type: 'image' as const, image_url: { url: 'x'.repeat(maxContent) } }
  t.same(cutContent(['see', image, 'more']), ['see', cutMark.trim()])
})

t.test('numbers follow from the seed and the number of the step, as the document says', async t => {
  const draw = (seed: number, number: number, count: number) => {
    const random = randomOf(seed, number)
    return Array.from({ length: count }, random)
  }
  t.same(
    draw(7, 3, 6),
    [
      0.9307029220583553, 0.9856857323135984, 0.4340382954943385, 0.14337157881937246, 0.9160209080890449,
      0.550249773811378,
    ],
  )
  t.same(draw(-1, 0, 2), draw(-1, 0, 3).slice(0, 2))
  t.not(draw(7, 4, 1)[0], draw(7, 3, 1)[0])
  const many = draw(1, 1, 10_000)
  t.ok(many.every(number => number >= 0 && number < 1))
  t.ok(Math.abs(many.reduce((sum, number) => sum + number, 0) / many.length - 0.5) < 0.02)
})
