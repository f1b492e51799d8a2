// Streams that end too early, too late or never.
import type { Frame, Step } from '../frames.ts'
import { eachText, type Fault, upTo, without } from './fault.ts'

const close: Step[] = [{ end: 'close' }]
const broken: Step[] = [{ end: 'break' }]
const open: Step[] = [{ end: 'open' }]

/** Milliseconds between two signs of life of an endpoint that says nothing. */
const restMs = 200
function* forever(text: string): Generator<Frame> {
  for (;;) yield* [text, { pause: restMs }]
}
const comment = ': keep-alive\n\n'

export const ends: Fault[] = [
  {
    name: 'cut-in-call',
    about: 'The stream ends in an orderly way in the middle of the arguments of a call.',
    steps: upTo(['arguments'], close),
  },
  {
    name: 'cut-before-arguments',
    about: 'The stream ends in an orderly way after the name of a call, before its arguments.',
    steps: upTo(['call'], close),
  },
  {
    name: 'break-in-call',
    about: 'The connection breaks in the middle of the arguments of a call.',
    steps: upTo(['arguments'], broken),
  },
  {
    name: 'cut-in-text',
    about: 'The connection breaks after the first word of the text.',
    steps: upTo(['text'], broken),
  },
  {
    name: 'close-in-text',
    about: 'The stream ends in an orderly way after the first word of the text.',
    steps: upTo(['text'], close),
  },
  {
    name: 'cut-in-reasoning',
    about: 'The connection breaks after the first word of the reasoning.',
    steps: upTo(['reasoning'], broken),
  },
  {
    name: 'cut-at-once',
    about: 'The connection breaks after the head of the answer.',
    frames: () => [{ end: 'break' }],
  },
  {
    name: 'cut-in-body',
    about: 'The connection breaks in the middle of an answer that is not streamed.',
    only: 'whole',
    frames: eachText(text => [text.slice(0, text.length / 2), { end: 'break' }]),
  },
  {
    name: 'close-in-body',
    about: 'An answer that is not streamed ends in its middle, in an orderly way.',
    only: 'whole',
    frames: eachText(text => [text.slice(0, text.length / 2), { end: 'close' }]),
  },
  {
    name: 'close-without-done',
    about:
      'The stream ends in an orderly way without its last event: [DONE], message_stop or response.completed.',
    steps: (steps, protocol) => without(protocol === 'responses' ? ['finish'] : ['done'])(steps, protocol),
  },
  {
    name: 'close-without-finish',
    about: 'The stream ends in an orderly way after its content, and says nothing about its end.',
    steps: without(['finish', 'usage', 'done']),
  },
  {
    name: 'done-without-finish-reason',
    about: 'The stream ends with [DONE] or message_stop, but never said why it finished.',
    protocols: ['chat', 'messages'],
    steps: without(['finish']),
  },
  {
    name: 'stays-open-after-finish',
    about: 'The stream says why it finished, and then nothing: no last event, no end.',
    steps: upTo(['finish'], open),
  },
  {
    name: 'stays-open-after-done',
    about: 'The stream is complete, but the connection stays open.',
    protocols: ['chat', 'messages'],
    steps: upTo(['done'], open),
  },
  {
    name: 'hang-at-once',
    about: 'After the head of the answer there is nothing, and the connection stays open.',
    frames: () => [{ end: 'open' }],
  },
  {
    name: 'hang-in-text',
    about: 'After the first word of the text there is nothing, and the connection stays open.',
    steps: upTo(['text'], open),
  },
  {
    name: 'hang-in-call',
    about: 'In the middle of the arguments of a call the stream stops, and the connection stays open.',
    steps: upTo(['arguments'], open),
  },
  {
    name: 'comments-only',
    about: 'Keep-alive comments for ever, and never an event.',
    steps: () => forever(comment),
  },
  {
    name: 'comments-after-text',
    about: 'After the first word of the text there are only keep-alive comments, for ever.',
    steps: upTo(['text'], { [Symbol.iterator]: () => forever(comment) }),
  },
  {
    name: 'pings-only',
    about: 'Events of the type ping for ever, after the start of the message.',
    protocols: ['messages'],
    steps: upTo(['begin'], {
      [Symbol.iterator]: () => forever('event: ping\ndata: {"type":"ping"}\n\n'),
    }),
  },
]
