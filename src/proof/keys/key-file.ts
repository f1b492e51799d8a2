// Reads and replaces the key that signs checkpoints, in its file. During a change, a second file holds the next key.
import { rmSync } from 'node:fs'
import { CannotStart } from '../../contract/cannot-start.ts'
import { readPlainFile, renameSynced, whatStandsAt, writeSynced } from '../../platform/files/plain-file.ts'
import { unusable } from '../../platform/files/unusable.ts'
import { makeSigningKey, readSigningKey, type SigningKey, writeSigningKey } from '../note/keys.ts'

/** The file of the next key. */
export const nextOf = (file: string): string => `${file}.new`

const read = (file: string): SigningKey | undefined =>
  whatStandsAt(file) === undefined ? undefined : readSigningKey(readPlainFile(file).trim())

/** The key, if it is of this log. The file may still have the key of another log, which was in this place before. */
const ofLog = (key: SigningKey | undefined, origin: string): SigningKey | undefined =>
  key?.verifier.name === origin ? key : undefined
const usable = <T>(file: string, use: () => T): T => {
  const name = `the audit key ${file}`
  try {
    return use()
  } catch (error) {
    // Only a file that was read and holds no key may be moved away: a key that is sound would be lost to its log.
    if ((error as { code?: unknown }).code !== undefined) throw unusable(file, error, { name })
    throw new CannotStart(
      `${name} cannot be used (${(error as Error).message}): put the key of this log there, or move the file away, and the log gets a new key`,
    )
  }
}

/** `made` is called when the next key is in its file, before the log names this key. */
export const keyFile = (file: string, origin: string, made: () => void = () => {}) => ({
  /** The key; undefined: there is no file, or it has the key of another log. Throws CannotStart. */
  key: (): SigningKey | undefined => usable(file, () => ofLog(read(file), origin)),
  /** The next key, if an unfinished change of the key has left its file. */
  next: (): SigningKey | undefined => {
    try {
      return ofLog(read(nextOf(file)), origin)
    } catch {
      return undefined // the file is not complete, so the log does not name this key yet
    }
  },
  /** Makes a key in the file for the next key. Throws CannotStart. */
  makeNext: (): SigningKey =>
    usable(file, () => {
      const key = makeSigningKey(origin, 'note')
      writeSynced(nextOf(file), `${writeSigningKey(key)}\n`)
      made()
      return key
    }),
  /** Replaces the key by the next key. Throws CannotStart. */
  putNext: (): void =>
    usable(file, () => {
      const old = read(file)?.verifier
      // The key of another log is kept under another name, in case that log is put here again.
      if (old !== undefined && old.name !== origin) renameSynced(file, `${file}.${old.id}`)
      renameSynced(nextOf(file), file)
    }),
  removeNext: (): void => rmSync(nextOf(file), { force: true }),
})
export type KeyFile = ReturnType<typeof keyFile>
