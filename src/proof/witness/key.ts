// Reads the key of a witness from its file, which the first start of the witness makes.
import { writeFileSync } from 'node:fs'
import { CannotStart } from '../../contract/cannot-start.ts'
import { readPlainFile, whatStandsAt } from '../../platform/plain-file.ts'
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
    throw new CannotStart(`the key ${file} cannot be used (${(error as Error).message}): name another file`)
  }
}
