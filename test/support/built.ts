// Builds the bundle from the current sources. `npm test` builds it once for all test files; a test file that runs alone
// builds it itself.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
if (process.env.REPRISE_BUILT !== '1') spawnSync(process.execPath, [path.join(root, 'build.mjs')])
