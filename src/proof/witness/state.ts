// Keeps the state of a witness in a file: for each log, the newest checkpoint that the witness has signed. The file is
// replaced as a whole, and the new file is on the disk before the witness answers.
import { CannotStart } from '../../contract/cannot-start.ts'
import { readPlainFile, renameSynced, whatStandsAt, writeSynced } from '../../platform/files/plain-file.ts'
import { unusable } from '../../platform/files/unusable.ts'
import { readCheckpoint } from '../note/checkpoint.ts'
import { readNote } from '../note/note.ts'

/** `note`: the checkpoint with the signatures of the log and of the witness. */
export type Witnessed = { size: number; root: string; note: string }

/** Throws CannotStart when the file cannot be read: a witness that has lost its state would sign another history. */
export const openWitnessState = (file: string) => {
  const newest = new Map<string, Witnessed>()
  try {
    const notes = whatStandsAt(file) === undefined ? [] : (JSON.parse(readPlainFile(file)) as string[])
    for (const note of notes) {
      const { origin, size, root } = readCheckpoint(readNote(note).text)
      newest.set(origin, { size, root, note })
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== undefined)
      throw unusable(file, error, { name: `the state ${file} of the witness`, doing: 'read' })
    throw new CannotStart(
      `the witness cannot read its state ${file} (${(error as Error).message}): restore the file from a backup`,
    )
  }
  return {
    of: (origin: string): Witnessed | undefined => newest.get(origin),
    /** Stores the newest checkpoint of a log. Throws errors of the system; the state is then unchanged. */
    put(origin: string, witnessed: Witnessed): void {
      const next = new Map(newest).set(origin, witnessed)
      const notes = [...next.values()].map(({ note }) => note)
      writeSynced(`${file}.new`, `${JSON.stringify(notes)}\n`)
      renameSynced(`${file}.new`, file)
      newest.set(origin, witnessed)
    },
  }
}
export type WitnessState = ReturnType<typeof openWitnessState>
