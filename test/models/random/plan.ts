// What a random answer says, and what goes wrong with its stream. All of it is data, so that a failure can be made small.
import fc from '../../support/fast-check.ts'

/**
 * How an endpoint tells its calls apart. `woven`: the pieces of several calls may take turns. `doubled`: an event that
 * comes twice can be told from two events.
 */
export const schemes = {
  'numbers and ids': { woven: true, doubled: true },
  'numbers as texts': { woven: true, doubled: true },
  'numbers alone': { woven: true, doubled: true },
  'an id in each piece': { woven: true, doubled: true },
  'an id in the first piece': { woven: false, doubled: true },
  'names alone': { woven: false, doubled: false },
  'only zeros': { woven: false, doubled: true },
  'another id in each piece': { woven: true, doubled: true },
  'one id for all calls': { woven: true, doubled: true },
  'an id in the last piece': { woven: true, doubled: true },
  'a name in the last piece': { woven: true, doubled: false },
  'a name in each piece': { woven: true, doubled: false },
  'a placeholder first': { woven: true, doubled: false },
} as const
export type Scheme = keyof typeof schemes

const odd = [
  '',
  ' ',
  '"',
  '\\',
  '\n',
  '\r\n',
  'é',
  '🦊',
  '\u2028',
  '{"a":1}',
  'data: x\n\n',
  '[DONE]',
  '</think>',
  ': x',
]
const words = fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.constantFrom(...odd)), {
  maxLength: 8,
})
/** A number from 0 to below 1, for places in things whose length is not known yet. */
const place = fc.integer({ min: 0, max: 999 }).map(part => part / 1000)
const places = (maxLength: number) => fc.array(place, { maxLength })

export const plan = fc.record({
  thought: words.map(all => all.join('')),
  /** Begins with a letter, so that it is no tag. */
  text: words.map(all => (all.length === 0 ? '' : `A${all.join('')}`)),
  /** The arguments of each call, which name the call; null: it has none. */
  calls: fc.array(
    fc.record({
      name: fc.constantFrom('look', 'go'),
      more: fc.option(fc.jsonValue({ maxDepth: 2 }), { freq: 6 }),
    }),
    { maxLength: 4 },
  ),
  scheme: fc.constantFrom(...(Object.keys(schemes) as Scheme[])),
  cuts: places(12),
  weave: fc.array(fc.nat(3), { maxLength: 20 }),
  finish: fc.oneof(
    fc.constantFrom('stop', 'tool_calls'),
    fc.constantFrom('length', 'content_filter', 'error', 'tired', 'STOP'),
    fc.constant(null),
  ),
  isWithLast: fc.boolean(),
  usage: fc.boolean(),
  done: fc.boolean(),
  doubled: places(2),
  extra: fc.array(
    fc.record({
      at: place,
      what: fc.oneof(
        {
          weight: 8,
          arbitrary: fc.constantFrom('comment', 'empty', 'no choices', 'name', 'retry', 'nothing said'),
        },
        { weight: 1, arbitrary: fc.constantFrom('garbage', 'error') },
      ),
    }),
    { maxLength: 4 },
  ),
  json: fc.constantFrom('plain', 'escaped', 'spaced', 'lines', 'more fields'),
  newline: fc.constantFrom('\n', '\n', '\r\n', '\r'),
  space: fc.constantFrom(' ', ''),
  first: fc.constantFrom('', '', '\uFEFF', '\n', ': hello\n\n'),
  sizes: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 }),
  /** A place, or so many bytes before the end; null: all is sent. */
  cut: fc.option(fc.oneof(place, fc.integer({ min: -6, max: -1 })), { freq: 2 }),
  end: fc.constantFrom('end', 'break', 'stay', 'comments'),
  pause: fc.option(fc.record({ at: place, ms: fc.integer({ min: 100, max: 9000 }) }), { freq: 2 }),
})
export type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never
