// The sandbox that shell commands of workspaces have in tests: bubblewrap, which is installed with apt-get if it is
// missing. If the system does not let bubblewrap work, the servers of tests, and no others, run without a sandbox.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { type Bubblewrap, tryBubblewrap } from '../../src/environments/sandbox.ts'
import { programOf } from './programs.ts'

export const isRoot = process.getuid?.() === 0

programOf('bwrap', { debian: 'bubblewrap' })
export const bubblewrap: Bubblewrap = tryBubblewrap()

/** False, or the reason for which tests that need bubblewrap are skipped. */
export const noBubblewrap =
  'program' in bubblewrap
    ? false
    : `${bubblewrap.problem} (${bubblewrap.said ?? 'apt-get install bubblewrap'})`

/** The environment variables with which a server of a test has workspaces on any machine. */
export const withWorkspaces: Record<string, string> =
  noBubblewrap === false ? {} : { ALLOW_UNSANDBOXED_SHELL: '1' }

/** A PATH on which bash is found, and the script `bwrap` in place of bubblewrap; without a script, no bubblewrap. */
export const pathOf = (t: Test, bwrap?: string): string => {
  const programs = mkdtempSync(path.join(tmpdir(), 'reprise-path-'))
  t.teardown(() => rmSync(programs, { recursive: true, force: true }))
  chmodSync(programs, 0o755)
  const bash = spawnSync('bash', ['-c', 'command -v bash'], { encoding: 'utf8' }).stdout.trim()
  symlinkSync(bash, path.join(programs, 'bash'))
  if (bwrap !== undefined) writeFileSync(path.join(programs, 'bwrap'), bwrap, { mode: 0o755 })
  return programs
}
