// Reads the settings of checkpoints and witnesses from environment variables.
import path from 'node:path'
import { CannotStart } from '../contract/cannot-start.ts'
import { filesOf } from '../platform/files/data-folder.ts'

export type ProofSettings = Readonly<{
  /** The file with the key that signs checkpoints. */
  keyFile: string
  /** The file to which checkpoints are added. */
  checkpointFile: string
  /** The URLs of witnesses, without a slash at the end. */
  witnesses: readonly string[]
}>

const witnessOf = (text: string): string => {
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (isUrl && new URL(text).username === '' && new URL(text).search === '') return text.replace(/\/+$/, '')
  throw new CannotStart(
    `WITNESS_URLS: ${text.replace(/\/\/[^/]*@/, '//***@')} is no http or https URL of a witness`,
  )
}

/** Throws CannotStart. */
export const proofOf = (env: Record<string, string | undefined>, dataDir: string): ProofSettings => {
  const { auditKey, checkpoints } = filesOf(dataDir)
  const urls = (env.WITNESS_URLS ?? '').split(',').map(text => text.trim())
  return Object.freeze({
    keyFile: path.resolve(env.AUDIT_KEY_FILE || auditKey),
    checkpointFile: path.resolve(env.CHECKPOINT_FILE || checkpoints),
    witnesses: Object.freeze(urls.filter(text => text !== '').map(witnessOf)),
  })
}
