// Reads the key of a witness from its file, which the first start of the witness makes.
import { writeFileSync } from 'node:fs'
import { CannotStart } from '../../contract/cannot-start.ts'
import { readPlainFile, whatStandsAt } from '../../platform/files/plain-file.ts'
import { unusable } from '../../platform/files/unusable.ts'
import { makeSigningKey, readSigningKey, type SigningKey, writeSigningKey } from '../note/keys.ts'

/** Reads the key, or makes it if there is no file. Throws CannotStart. */
export const witnessKey = (file: string, name: string): SigningKey => {
  try {
    if (whatStandsAt(file) === undefined) {
      const made = makeSigningKey(name, 'cosignature')
      writeFileSync(file, `${writeSigningKey(made)}\n`, { mode: 0o600, flag: 'wx', flush: true })
      return made
    }
    const key = readSigningKey(readPlainFile(file).trim())
    if (key.verifier.kind === 'cosignature') return key
    throw new Error('it is the key of a log, and not of a witness')
  } catch (error) {
    // A key that only cannot be read is still the key of this witness: another file would make another witness.
    if ((error as { code?: unknown }).code !== undefined)
      throw unusable(file, error, { name: `the key ${file}` })
    throw new CannotStart(`the key ${file} cannot be used (${(error as Error).message}): name another file`)
  }
}
