// The bundle as the sources are now. `npm test` builds once for all; a test file that is run by itself builds for itself.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
if (process.env.REPRISE_BUILT !== '1') spawnSync(process.execPath, [path.join(root, 'build.mjs')])
