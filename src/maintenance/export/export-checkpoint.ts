// Finds the checkpoint that goes into an export: the newest one of the server, or a new one that the command signs.
import { existsSync } from 'node:fs'
import { CannotStart } from '../../contract/cannot-start.ts'
import type { StoredRows } from '../../log/storage.ts'
import { readPlainFile } from '../../platform/files/plain-file.ts'
import { newestAnchor } from '../../proof/anchors.ts'
import { originOf, signCheckpoint } from '../../proof/note/checkpoint.ts'
import type { KeyChange } from '../../proof/note/key-change.ts'
import { readSigningKey, type SigningKey } from '../../proof/note/keys.ts'
import type { ProofSettings } from '../../proof/settings.ts'
import type { Hash } from '../../proof/tree/hash.ts'

/** The files that are needed to choose or to sign a checkpoint. */
export type ProofFiles = Pick<ProofSettings, 'keyFile' | 'checkpointFile'>

/** `root`: undefined if the checkpoint is not signed yet. `sign` needs the root of the tree, and returns the note. */
export type ChosenCheckpoint = { size: number; root: Hash | undefined; sign: (root: Hash) => string }

/** Thrown when no checkpoint covers the last event of an export, and no checkpoint can be signed. */
export class NotCovered extends Error {}

/** The key in the file; undefined: there is no file, or the command may not read it. Throws CannotStart. */
const signingKeyIn = (file: string): SigningKey | undefined => {
  if (!existsSync(file)) return undefined
  try {
    return readSigningKey(readPlainFile(file).trim())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined
    throw new CannotStart(`the audit key ${file} cannot be used: ${(error as Error).message}`)
  }
}

/** Only the newest key in the log may sign. `end`: the last position to cover. Rejects with NotCovered or CannotStart. */
export const chooseCheckpoint = async (
  rows: StoredRows,
  changes: readonly KeyChange[],
  end: number,
  files: ProofFiles,
): Promise<ChosenCheckpoint> => {
  const origin = originOf(await rows.logId())
  const keys = changes.map(({ key }) => key)
  const anchor = newestAnchor(files.checkpointFile, origin, keys)
  const stored = anchor === 'unreadable' ? undefined : anchor
  if (stored !== undefined && stored.size >= end)
    return { size: stored.size, root: stored.root, sign: () => stored.text }
  const key = signingKeyIn(files.keyFile)
  if (key !== undefined && key.verifier.text === keys.at(-1)?.text) {
    const size = await rows.head()
    return { size, root: undefined, sign: root => signCheckpoint({ origin, size, root }, [key]) }
  }
  const newest =
    stored === undefined ? 'there is no checkpoint' : `the newest checkpoint covers ${stored.size} events`
  const why = keys.length === 0 ? 'the log names no key' : `the key of the log is not in ${files.keyFile}`
  throw new NotCovered(
    `${newest}, and event ${end} must be covered; ${why}, so the command cannot sign one: start the server, which signs one within a second, or let AUDIT_KEY_FILE name the key`,
  )
}
