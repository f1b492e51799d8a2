// Turns the bytes of every body and message from callers into a JSON value, in which numbers keep their text. This file
// refuses what JSON.parse accepts and the server does not: nesting that is too deep, too many values, and keys that
// would reach prototypes of objects.
import { isUtf8 } from 'node:buffer'
import { readJson } from '../../contract/json/exact-json.ts'
import { keysProblem, shapeProblem } from '../../contract/json/shape.ts'
import { unsafeKeys } from '../../contract/json/unsafe-keys.ts'
import { Invalid } from '../../contract/refusals.ts'
import { maxProblems } from '../request/problems.ts'

/** Keeps a byte order mark, so that JSON.parse refuses it: a byte order mark is not part of JSON. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Throws Invalid when the bytes are not acceptable JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) {
    throw new Invalid([{ loc: ['body', 0], msg: 'JSON decode error: not UTF-8', type: 'json_invalid' }])
  }
  const tooMuch = shapeProblem(bytes)
  if (tooMuch !== undefined) throw new Invalid([tooMuch])
  const text = decoder.decode(bytes)
  const value = parse(text)
  const tooManyKeys = keysProblem(value, bytes.length)
  if (tooManyKeys !== undefined) throw new Invalid([tooManyKeys])
  const unsafe = unsafeKeys(text, value, maxProblems)
  if (unsafe.length > 0) throw new Invalid(unsafe)
  return value
}

function parse(text: string): unknown {
  try {
    return readJson(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const problem = {
      loc: ['body', offsetOf(reason, text)],
      type: 'json_invalid',
      // V8 also quotes the text, which is removed here because it may contain a secret.
      msg: `JSON decode error: ${reason.split(/, (?:"|\.\.\.)/, 1)[0]}`,
    }
    throw new Invalid([problem])
  }
}

// The offset of the error in the text. Most messages of V8 end with the offset. Messages that quote the text end
// differently, so a text from a caller cannot be mistaken for an offset.
function offsetOf(reason: string, text: string): number {
  if (reason === 'Unexpected end of JSON input') return text.length
  const position = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(reason)?.[1]
  return position === undefined ? 0 : Number(position)
}
