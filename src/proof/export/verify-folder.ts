// Verifies an export in a folder, with checkpoints in files.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { VerifierKey } from '../note/keys.ts'
import { type Checkpoints, checkpointsIn } from '../verify/checkpoints-in.ts'
import { linesIn } from '../verify/lines.ts'
import type { ExportFiles } from './files.ts'
import { fileNames } from './format.ts'
import { type VerifiedExport, verifyExport } from './verify-export.ts'

const filesIn = (folder: string): ExportFiles => ({
  text(name) {
    const file = path.join(folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  },
  lines: name => linesIn(path.join(folder, name)),
  eventFiles: () =>
    readdirSync(path.join(folder, fileNames.events)).map(name => `${fileNames.events}/${name}`),
})

/** `key`: the key that the caller trusts. `checkpoints`: files with further checkpoints, which the caller has. */
export type FolderToVerify = {
  folder: string
  key: VerifierKey | undefined
  checkpoints: readonly Checkpoints[]
}

/** Rejects with Misfit or NotProven at the first thing that does not fit. */
export const verifyFolder = (
  { folder, key, checkpoints }: FolderToVerify,
  onProgress: (events: number) => void,
): Promise<VerifiedExport> =>
  verifyExport(
    {
      files: filesIn(folder),
      key,
      checkpoints: (origin, keys) =>
        checkpoints.map(file =>
          checkpointsIn({ ...file, origin, keys, resumedAt: [] }, { lost: 0, cutOff: 0 }),
        ),
    },
    { onProgress, yieldToLoop: () => new Promise(resolve => setImmediate(resolve)) },
  )
