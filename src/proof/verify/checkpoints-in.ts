// Reads the checkpoints in a file, in the order of their sizes. One of the given keys must have signed each of them.

import { Misfit } from '../misfit.ts'
import { openCheckpoint, readCheckpoint, type SignedCheckpoint } from '../note/checkpoint.ts'
import type { VerifierKey } from '../note/keys.ts'
import { readNote } from '../note/note.ts'
import { type FoundNote, notesIn } from './note-file.ts'

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
