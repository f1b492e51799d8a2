// Reads a file of checkpoints: whole notes, one after the other. The file of a server grows by a note each second, so it
// is never read as a whole.
import { isCutOff, withoutLineEnds } from './cut-off.ts'
import { linesIn } from './lines.ts'

/** The most characters of a note that are kept. A longer one is no note. */
const longestNote = 1_000_000

/** A text that should be a note. `line`: the number of its first line, from 1. `isCutOff`: its end is missing. */
export type FoundNote = { text: string; line: number; isCutOff: boolean }

/**
 * The notes in the first `bytes` of a file, in order. Each begins with the line `origin`, or a part of it. Throws errors of the system.
 */
export function* notesIn(path: string, origin: string, bytes: number): Generator<FoundNote> {
  let lines: string[] = []
  let [at, first, chars] = [0, 1, 0]
  const whole = function* (): Generator<FoundNote> {
    const text = withoutLineEnds(lines.join('\n'))
    if (text !== '') yield { text: `${text}\n`, line: first, isCutOff: isCutOff(text, origin) }
  }
  /** Whether a crash has cut off a checkpoint in its first line. The next one begins after an empty line. */
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
