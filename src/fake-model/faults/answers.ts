// Answers that end for an unusual reason, say too little, or say something that no text may contain.
import type { Answer } from '../answer.ts'
import type { Piece } from '../answer-pieces.ts'
import { fieldsOf } from '../question.ts'
import { eachEvent, type Fault } from './fault.ts'

const finish =
  (finish_reason: string): NonNullable<Fault['answer']> =>
  answer => ({ ...answer, finish_reason })

/** Cuts the arguments of the last call in their middle. */
const inCall = (answer: Answer): Answer => ({
  ...answer,
  finish_reason: 'length',
  tool_calls: (answer.tool_calls ?? []).map((call, n, calls) => {
    const { arguments: values = {} } = call
    const text = typeof values === 'string' ? values : JSON.stringify(values)
    return n === calls.length - 1 ? { ...call, arguments: text.slice(0, text.length / 2) } : call
  }),
})

/** What is left of an answer: nothing that it says. */
const silent = ({ when, delay_ms, token_ms, model, usage }: Answer): Answer =>
  Object.fromEntries(
    Object.entries({ when, delay_ms, token_ms, model, usage }).filter(([, value]) => value !== undefined),
  )

/** Half of a pair of surrogates, which is no character. */
const halfOfPair = '\ud83c'
function* withHalfOfPair(pieces: Iterable<Piece>): Generator<Piece> {
  let sent = false
  for (const piece of pieces) {
    yield piece
    if (!sent && piece.kind === 'text') yield { kind: 'text', text: halfOfPair }
    sent ||= piece.kind === 'text'
  }
}

/** Changes the usage of an event of any protocol, if it has one. */
const usageNull = eachEvent(event => {
  const { usage, response } = fieldsOf(event.data)
  if (event.is !== 'usage' && event.is !== 'finish') return [event]
  if (fieldsOf(response).usage !== undefined) {
    return [{ ...event, data: { ...fieldsOf(event.data), response: { ...fieldsOf(response), usage: null } } }]
  }
  return [usage === undefined ? event : { ...event, data: { ...fieldsOf(event.data), usage: null } }]
})

export const answers: Fault[] = [
  {
    name: 'content-filter',
    about: 'The answer ends because a filter has blocked it: content_filter, refusal or incomplete.',
    answer: finish('content_filter'),
  },
  {
    name: 'finish-error',
    about: 'The answer ends with the finish_reason error; of Responses, with response.failed.',
    answer: finish('error'),
  },
  {
    name: 'finish-abort',
    about: 'The answer ends with the finish_reason abort, as of vLLM; of Responses, it was canceled.',
    answer: finish('abort'),
  },
  {
    name: 'unknown-finish-reason',
    about: 'The answer ends with a finish_reason that nobody knows.',
    answer: finish('tired'),
  },
  {
    name: 'length',
    about: 'The answer ends because it has reached its greatest length.',
    answer: finish('length'),
  },
  {
    name: 'length-in-call',
    about: 'The answer reaches its greatest length in the middle of the arguments of a call.',
    answer: inCall,
  },
  {
    name: 'calls-with-stop',
    about: 'An answer with calls ends with the finish_reason stop.',
    answer: finish('stop'),
  },
  {
    name: 'finish-reason-empty',
    about: 'Each chunk has a finish_reason that is an empty text.',
    protocols: ['chat'],
    steps: eachEvent(event => {
      const { choices } = fieldsOf(event.data)
      if (event.is === 'finish' || !Array.isArray(choices)) return [event]
      const open = choices.map(choice => ({ ...choice, finish_reason: '' }))
      return [{ ...event, data: { ...fieldsOf(event.data), choices: open } }]
    }),
  },
  {
    name: 'finish-twice',
    about: 'The chunk that ends the answer comes twice.',
    protocols: ['chat'],
    steps: eachEvent(event => (event.is === 'finish' ? [event, event] : [event])),
  },
  {
    name: 'empty-answer',
    about: 'The answer ends with stop and has said nothing.',
    answer: answer => ({ ...silent(answer), text: '' }),
  },
  {
    name: 'reasoning-only',
    about: 'The answer ends with stop and has only reasoning.',
    answer: answer => ({
      ...silent(answer),
      reasoning: answer.reasoning ?? 'I think about it.',
      ...(answer.reasoning_as === undefined ? {} : { reasoning_as: answer.reasoning_as }),
    }),
  },
  {
    name: 'no-usage',
    about: 'The answer reports no usage.',
    answer: answer => ({ ...answer, usage: false }),
  },
  {
    name: 'usage-null',
    about: 'The usage that the answer reports is null.',
    steps: usageNull,
    body: body => ({ ...body, usage: null }),
  },
  {
    name: 'empty-choices',
    about: 'A chunk with an empty list of choices comes before each chunk.',
    protocols: ['chat'],
    steps: eachEvent(event =>
      event.is === 'done' ? [event] : [{ is: 'raw', data: { ...fieldsOf(event.data), choices: [] } }, event],
    ),
  },
  {
    name: 'no-choices',
    about: 'A chunk without choices comes before each chunk.',
    protocols: ['chat'],
    steps: eachEvent(event => {
      const { choices: _, ...others } = fieldsOf(event.data)
      return event.is === 'done' ? [event] : [{ is: 'raw', data: others }, event]
    }),
  },
  {
    name: 'lone-surrogate',
    about: 'Half of a surrogate pair follows the first word of the text.',
    pieces: withHalfOfPair,
  },
  {
    name: 'slow',
    about: 'The answer begins after two seconds, and each piece takes 300 milliseconds.',
    answer: answer => ({ ...answer, delay_ms: 2000, token_ms: 300 }),
  },
]
