// Reads a file of checkpoints: notes, one after the other. The file of a busy server grows by a note each second. So it
// is never read as a whole.
import { isCutOff, withoutLineEnds } from './cut-off.ts'
import { linesIn } from './lines.ts'

/** A text with more characters than this is no note. The lines after this many characters are dropped. */
const longestNote = 1_000_000

/** A text that should be a note. `line`: the number of its first line, from 1. `isCutOff`: the end is missing. */
export type FoundNote = { text: string; line: number; isCutOff: boolean }

/**
 * The notes in the first `bytes` of a file, in order. Each begins with the line `origin`, or with a part of this line
 * that a crash has cut off. Throws errors of the system.
 */
export function* notesIn(path: string, origin: string, bytes: number): Generator<FoundNote> {
  let lines: string[] = []
  let [at, first, chars] = [0, 1, 0]
  const whole = function* (): Generator<FoundNote> {
    const text = withoutLineEnds(lines.join('\n'))
    if (text !== '') yield { text: `${text}\n`, line: first, isCutOff: isCutOff(text, origin) }
  }
  /** Whether this line is a first line that a crash has cut off: a part of `origin` after an empty line. */
  const isCutOrigin = (line: string): boolean =>
    line !== '' && origin.startsWith(line) && (lines.at(-1) ?? '') === ''
  for (const line of linesIn(path, bytes)) {
    at++
    if (line === origin || isCutOrigin(line)) {
      yield* whole()
      ;[lines, first, chars] = [[], at, 0]
    }
    chars += line.length
    if (chars <= longestNote) lines.push(line)
  }
  yield* whole()
}
