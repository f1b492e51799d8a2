// Another user of this machine, as whom root can start the server, and folders that this user may enter.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import './built.ts'

export const another = { uid: 65_533, gid: 65_533 }

const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')
const mayRun = () =>
  spawnSync(process.execPath, [bin, '--version'], { ...another, cwd: '/', stdio: 'ignore' }).status === 0

/** False, or why a test cannot start the server as another user. */
export const noOther =
  process.getuid?.() !== 0
    ? 'needs root, which alone can be another user'
    : mayRun()
      ? false
      : 'another user cannot read these sources'

/** A folder that every user may enter; it goes with the test. */
export const publicFolder = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-public-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  return folder
}
