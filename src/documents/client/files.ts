// The files of the clients that are made from the contract, by their paths below the root of the repository.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pythonRefusalsFile, refusalClassesFile, refusalsFile } from './errors.ts'
import { pythonSyncFile, pythonTypesFile } from './python.ts'
import { typesFile } from './typescript.ts'

const root = path.resolve(import.meta.dirname, '../../..')

export const clientFiles = (): Record<string, string> => ({
  'library/client/types.ts': typesFile(),
  'library/client/refusals.ts': refusalsFile(),
  'library/client/refusal-classes.ts': refusalClassesFile(),
  'python/reprise/types.py': pythonTypesFile(),
  'python/reprise/refusals.py': pythonRefusalsFile(),
  'python/reprise/_sync.py': pythonSyncFile(
    readFileSync(path.join(root, 'python/reprise/_async.py'), 'utf8'),
  ),
})
