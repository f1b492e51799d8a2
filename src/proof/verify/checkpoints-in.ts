// Reads the checkpoints in a file, in the order of their sizes. One of the given keys must have signed each of them.
import { Misfit } from '../misfit.ts'
import { openCheckpoint, readCheckpoint, type SignedCheckpoint } from '../note/checkpoint.ts'
import type { VerifierKey } from '../note/keys.ts'
import { readNote } from '../note/note.ts'
import { linesIn } from './lines.ts'

// Reads a file of checkpoints: notes, one after the other. The file of a busy server grows by a note each second. So it
// is never read as a whole.

// Distinguishes a note that a crash has cut off from a note that somebody has changed.

/** The shortest signature as base64: four bytes that name the key, and an Ed25519 signature of 64 bytes. */
const shortestSignature = 92

const size = String.raw`(0|[1-9]\d{0,15})`
const root = '[A-Za-z0-9+/]{43}='
const before = [
  '', // only the origin
  size,
  String.raw`${size}\n[A-Za-z0-9+/]{0,43}`,
  String.raw`${size}\n${root}`,
]
const cutBeforeSignatures = new RegExp(`^(${before.join('|')})$`)
const cutInSignature = new RegExp(
  String.raw`^${size}\n${root}\n\n—(?: [^ \n]*(?: [A-Za-z0-9+/]{0,${shortestSignature - 1}})?)?$`,
)

/** Removes the line ends at the end of a text. Other blanks stay: if there are some, somebody has changed the text. */
const withoutLineEnds = (text: string): string => {
  let end = text.length
  while (text[end - 1] === '\n') end--
  return text.slice(0, end)
}

/** Whether a text is the beginning of a checkpoint, cut off before its first signature is complete. */
export const isCutOff = (text: string, origin: string): boolean => {
  const whole = withoutLineEnds(text)
  if (whole !== '' && origin.startsWith(whole)) return true
  if (!whole.startsWith(`${origin}\n`)) return false
  const rest = whole.slice(origin.length + 1)
  return cutBeforeSignatures.test(rest) || cutInSignature.test(rest)
}

/** A text with more characters than this is no note. The lines after this many characters are dropped. */
const longestNote = 1_000_000

/** A text that should be a note. `line`: the number of its first line, from 1. `isCutOff`: the end is missing. */
type FoundNote = { text: string; line: number; isCutOff: boolean }

/**
 * The notes in the first `bytes` of a file, in order. Each begins with the line `origin`, or with a part of this line
 * that a crash has cut off. Throws errors of the system.
 */
function* notesIn(path: string, origin: string, bytes: number): Generator<FoundNote> {
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

/** A checkpoint with which the log must agree. `from` says in words where the checkpoint was found. */
export type Expected = Pick<SignedCheckpoint, 'size' | 'root' | 'signers'> & { from: string }

/**
 * The first `bytes` of a file. Meanwhile, a server may add checkpoints after these bytes. `isNamed`: the caller has named
 * the file, so it must have a checkpoint that can be compared.
 */
export type Checkpoints = { path: string; bytes: number; isNamed?: true }

export type CheckpointFile = Checkpoints & {
  origin: string
  keys: readonly VerifierKey[]
  /**
   * The positions of events that say that the log continues after a restore or a loss. A checkpoint that covers such a
   * position may be about events that the log lost, if a checkpoint of a smaller size follows in the file.
   */
  resumedAt: readonly number[]
}

/** A checkpoint whose size is smaller than that of the checkpoint before it in the file. */
type Drop = { line: number; size: number }

const fitting = <T>(path: string, line: number, read: () => T): T => {
  try {
    return read()
  } catch (error) {
    const why = (error as Error).message
    throw new Misfit(`the checkpoint at line ${line} of ${path} proves nothing: ${why}`)
  }
}

const sizeOf = ({ path }: CheckpointFile, { text, line }: FoundNote): number =>
  fitting(path, line, () => readCheckpoint(readNote(text).text).size)

const dropsIn = (file: CheckpointFile): Drop[] => {
  const drops: Drop[] = []
  let last = 0
  for (const note of notesIn(file.path, file.origin, file.bytes)) {
    if (note.isCutOff) continue
    const size = sizeOf(file, note)
    if (size < last) drops.push({ line: note.line, size })
    last = size
  }
  return drops
}

/**
 * The numbers of checkpoints that are not compared. `lost`: of events that the log lost, as an event of the log says.
 * `cutOff`: their end is missing, since a crash cut it off or somebody removed it.
 */
export type LeftOut = { lost: number; cutOff: number }

/** Why a file has no checkpoint that can be compared. `leftOut`: the checkpoints of this file alone. */
const whyNone = ({ bytes }: CheckpointFile, leftOut: LeftOut): string => {
  if (leftOut.lost > 0) return 'its checkpoints are of events that the log lost'
  if (leftOut.cutOff > 0) return 'its only checkpoint has no end'
  return bytes === 0 ? 'the file is empty' : 'the file has none'
}

/**
 * The checkpoints of a file. Their sizes never fall. Checkpoints that cannot be compared are only counted in `leftOut`.
 * Throws Misfit for a note that is damaged, of another log or not signed by one of the keys, and for a named file without a
 * checkpoint that can be compared; and errors of the system.
 */
export function* checkpointsIn(file: CheckpointFile, leftOut: LeftOut): Generator<Expected> {
  const drops = dropsIn(file)
  const own: LeftOut = { lost: 0, cutOff: 0 }
  let found = 0
  for (const note of notesIn(file.path, file.origin, file.bytes)) {
    if (note.isCutOff) {
      own.cutOff++
      leftOut.cutOff++
      continue
    }
    const { size, root, signers } = fitting(file.path, note.line, () =>
      openCheckpoint(note.text, file.origin, file.keys),
    )
    const from = `the checkpoint of ${size} events at line ${note.line} of ${file.path}`
    const drop = drops.find(each => each.line > note.line && each.size < size)
    if (drop === undefined) {
      found++
      yield { size, root, signers, from }
    } else if (file.resumedAt.some(position => position <= size)) {
      own.lost++
      leftOut.lost++
    } else throw new Misfit(`${from} comes before one of ${drop.size} events, and the log was never restored`)
  }
  if (file.isNamed && found === 0)
    throw new Misfit(`${file.path} has no checkpoint that can be compared: ${whyNone(file, own)}`)
}
