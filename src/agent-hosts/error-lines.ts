// Writes what hosts say on standard error to the log, one line each, without secrets. A host that says very much is cut short.
import { StringDecoder } from 'node:string_decoder'
import type { Clock } from '../contract/ports.ts'
import { withoutValues } from '../contract/variables.ts'

/** At most this many lines of one host in a second. */
const perSecond = 100
/** The greatest length of a line, in characters. The rest is left out. */
const longest = 2000

type Deps = {
  clock: Clock
  /** The values that must not appear. */
  secrets(): readonly string[]
  write(line: string): void
}

/** The values, and the lines of those that have several, since each line is written alone. */
const valuesByLine = (values: readonly string[]): string[] =>
  values.flatMap(value => (value.includes('\n') ? value.split(/\r?\n/) : [value]))

/** Returns the function that takes the bytes. */
export const createErrorLines = ({ clock, secrets, write }: Deps): ((chunk: Buffer) => void) => {
  const decoder = new StringDecoder('utf8')
  /** The line that has not ended, and whether its end was thrown away. */
  let line = ''
  let isCut = false
  let second = 0
  let written = 0
  let leftOut = 0
  const longestOf = (values: readonly string[]): number => Math.max(0, ...values.map(({ length }) => length))

  /** Masks first, and cuts then, since half of a value is not recognized. */
  const shown = (): string => {
    const values = valuesByLine(secrets())
    const masked = withoutValues(line, values)
    // A value that was cut in two stands at the end, so as much as it may have is left out.
    return masked
      .slice(0, isCut ? -longestOf(values) || undefined : undefined)
      .slice(0, longest)
      .trimEnd()
  }
  const say = (): void => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) {
      if (leftOut > 0) write(`(${leftOut} lines were left out)`)
      second = now
      written = 0
      leftOut = 0
    }
    if (written++ < perSecond) write(shown())
    else leftOut++
  }
  const add = (piece: string): void => {
    if (isCut) return
    line += piece
    // What is shown, and room for the longest value at its end.
    const most = longest + 2 * longestOf(secrets())
    isCut = line.length > most
    if (isCut) line = line.slice(0, most)
  }
  return chunk => {
    const [first = '', ...others] = decoder.write(chunk).split('\n')
    add(first)
    for (const piece of others) {
      if (line.trim() !== '') say()
      line = ''
      isCut = false
      add(piece)
    }
  }
}
