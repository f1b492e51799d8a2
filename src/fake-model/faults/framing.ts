// Events that are right, in bytes that are unusual: other line ends, odd cuts, wrong media types.
import type { Frame } from '../frames.ts'
import { eachEvent, eachText, type Fault } from './fault.ts'

const lines = (change: (text: string) => string) => eachText(text => [change(text)])
/** Puts a text before the first bytes. */
const first = (before: string | Buffer) => eachText((text, nth) => (nth === 0 ? [before, text] : [text]))

/** The pieces with a pause between them, so that each of them arrives alone. */
function* apart(pieces: Iterable<Buffer>): Generator<Frame> {
  for (const piece of pieces) yield* [piece, { pause: 1 }]
}
/** Cuts a text after the first byte of each character that has several. */
const insideCharacters = (text: string): Buffer[] => {
  const bytes = Buffer.from(text)
  const cuts = [...bytes.keys()].filter(n => n > 0 && (bytes[n - 1] ?? 0) >= 0xc0)
  return [0, ...cuts].map((from, n) => bytes.subarray(from, cuts[n]))
}
/** Cuts each line of a text in its middle. */
const insideLines = (text: string): Buffer[] => {
  const halves = text.split(/(?<=\n)/).flatMap(line => {
    const half = Math.ceil(line.length / 2)
    return line.length > 2 ? [line.slice(0, half), line.slice(half)] : [line]
  })
  return joinedEnds(halves).map(piece => Buffer.from(piece))
}
/** The second half of a line goes together with the first half of the next one. */
const joinedEnds = (halves: string[]): string[] =>
  halves.reduce<string[]>((pieces, half) => {
    const last = pieces.at(-1)
    if (last?.endsWith('\n') && !half.endsWith('\n')) pieces.push(pieces.pop() + half)
    else pieces.push(half)
    return pieces
  }, [])

function* withoutLastBlank(frames: Iterable<Frame>): Generator<Frame> {
  let held: Frame | undefined
  for (const frame of frames) {
    if (held !== undefined) yield held
    held = frame
  }
  if (held !== undefined) yield typeof held === 'string' ? held.replace(/\n+$/, '') : held
}

const mediaType =
  (type: string | undefined): NonNullable<Fault['headers']> =>
  ({ 'content-type': _, ...others }) =>
    type === undefined ? others : { ...others, 'content-type': type }
const typed = (name: string, type: string | undefined): Fault => ({
  name: `type-${name}`,
  about: type === undefined ? 'The stream has no media type.' : `The media type of the stream is ${type}.`,
  only: 'stream',
  headers: mediaType(type),
})

const longLine = 2 * 1024 * 1024

export const framing: Fault[] = [
  {
    name: 'crlf',
    about: 'The lines of the stream end with CR LF.',
    only: 'stream',
    frames: lines(text => text.replaceAll('\n', '\r\n')),
  },
  {
    name: 'cr',
    about: 'The lines of the stream end with CR alone.',
    only: 'stream',
    frames: lines(text => text.replaceAll('\n', '\r')),
  },
  {
    name: 'no-space-after-colon',
    about: 'The fields of the stream have no space after their colon.',
    only: 'stream',
    frames: lines(text => text.replace(/^(\w+): /gm, '$1:')),
  },
  {
    name: 'empty-data',
    about: 'An event with empty data comes before each event.',
    only: 'stream',
    frames: eachText(text => ['data:\n\n', 'data: \n\n', text]),
  },
  {
    name: 'comments-between',
    about: 'A keep-alive comment comes before each event.',
    only: 'stream',
    frames: eachText(text => [': keep-alive\n\n', text]),
  },
  {
    name: 'data-over-lines',
    about: 'The JSON of each event is spread over several lines, each with its own data field.',
    steps: eachEvent(event => [
      typeof event.data === 'string'
        ? event
        : { ...event, data: JSON.stringify(event.data, null, 1).replaceAll('\n', '\ndata: ') },
    ]),
  },
  {
    name: 'no-last-blank-line',
    about: 'The stream ends without the blank line that ends its last event.',
    only: 'stream',
    frames: withoutLastBlank,
  },
  {
    name: 'bytes-before-first-message',
    about: 'A byte order mark, blank lines and a comment come before the first event.',
    only: 'stream',
    frames: first('\ufeff\n\r\n\n: begin\n\n'),
  },
  {
    name: 'junk-before-first-message',
    about: 'A line that is no field of an event stream comes before the first event.',
    only: 'stream',
    frames: first('connected to the engine\n\n'),
  },
  {
    name: 'huge-line',
    about: 'The line of the first event is 2 MiB long.',
    steps: eachEvent((event, nth) => [
      nth === 0 && typeof event.data !== 'string'
        ? { ...event, data: JSON.stringify(event.data) + ' '.repeat(longLine) }
        : event,
    ]),
  },
  {
    name: 'split-characters',
    about: 'The bytes are cut inside each character that has more than one byte.',
    frames: eachText(text => apart(insideCharacters(text))),
  },
  {
    name: 'split-lines',
    about: 'The bytes are cut in the middle of each line.',
    only: 'stream',
    frames: eachText(text => apart(insideLines(text))),
  },
  {
    name: 'byte-by-byte',
    about: 'Each byte arrives alone.',
    frames: eachText(text => apart(Array.from(Buffer.from(text), byte => Buffer.from([byte])))),
  },
  typed('upper-case', 'Text/Event-Stream; Charset=UTF-8'),
  typed('text-plain', 'text/plain; charset=utf-8'),
  typed('json', 'application/json'),
  typed('octet-stream', 'application/octet-stream'),
  typed('missing', undefined),
]
