// Reads and extends the file of checkpoints: whole notes, each with an empty line after it. The file is an anchor: when
// a log does not agree with the newest checkpoint in the file, the log has lost or changed events. So keep the file
// away from the log.
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { constants, open } from 'node:fs/promises'
import { openCheckpoint, type SignedCheckpoint } from './note/checkpoint.ts'
import type { VerifierKey } from './note/keys.ts'

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR } = constants

/** The newest checkpoint is looked for in this many bytes at the end of the file. */
const endBytes = 1024 * 1024

const endOf = (path: string): string => {
  const file = openSync(path, O_RDONLY | O_NONBLOCK)
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(size, endBytes))
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8', 0, read)
  } finally {
    closeSync(file)
  }
}

/** Matches a checkpoint and its signatures, without the remains of a write that a crash has interrupted. */
const wholeNote = /^(?:[^\n]+\n)+\n(?:— [^\n]+(?:\n|$))+/u

/** The whole notes of a log in `text`. Each note begins with the origin, alone on a line. */
const notesIn = (text: string, origin: string): string[] =>
  `\n${text}`
    .split(`\n${origin}\n`)
    .slice(1)
    .flatMap(rest => wholeNote.exec(`${origin}\n${rest}`)?.[0] ?? [])
    .map(note => `${note.trimEnd()}\n`)

export type Anchor = SignedCheckpoint & { text: string }

/** The whole checkpoints in `text`, the newest first. Checkpoints that none of `keys` has signed are left out. */
function* wholeNotes(text: string, origin: string, keys: readonly VerifierKey[]): Generator<Anchor> {
  for (const note of notesIn(text, origin).reverse()) {
    try {
      yield { ...openCheckpoint(note, origin, keys), text: note }
    } catch {
      // A crash has cut the note off, or somebody has changed it.
    }
  }
}

/**
 * The newest checkpoint in the file; undefined when there is none or no file. `unreadable`: the file has text, but no
 * checkpoint of this log with a signature of one of these keys. Throws errors of the system.
 */
export const newestAnchor = (
  file: string,
  origin: string,
  keys: readonly VerifierKey[],
): Anchor | 'unreadable' | undefined => {
  let text: string
  try {
    text = endOf(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const [newest] = wholeNotes(text, origin, keys)
  return newest ?? (text.trim() === '' ? undefined : 'unreadable')
}

/** The size in the last whole checkpoint of a file, of any log; 0: there is none. Nothing in it is verified. */
export const lastSizeIn = (file: string): number => {
  if (!existsSync(file)) return 0
  const sizes = [...endOf(file).matchAll(/(?:^|\n)reprise\/[^\n]+\n([1-9]\d*)\n[^\n]+\n\n— /gu)]
  return Number(sizes.at(-1)?.[1] ?? 0)
}

/** Adds a note, and resolves when the note is on the disk. Rejects with errors of the system. */
export const appendAnchor = async (path: string, note: string): Promise<void> => {
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, 0o600)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, Math.max(0, size - 2))
    // A note that was cut off by a crash stays, and the next one begins on a line of its own.
    const isWhole = size === 0 || buffer.toString('utf8', 0, bytesRead) === '\n\n'
    await file.appendFile(`${isWhole ? '' : '\n\n'}${note}\n`)
    await file.datasync()
  } finally {
    await file.close()
  }
}
