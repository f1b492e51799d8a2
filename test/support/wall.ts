// Which wall the commands of workspaces have in tests: bubblewrap, installed with apt-get where it is missing, where the
// system lets it work. Elsewhere the servers of tests are allowed to do without, here and nowhere else.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { type Bubblewrap, tryBubblewrap } from '../../src/environments/wall.ts'
import { programOf } from './programs.ts'

export const isRoot = process.getuid?.() === 0

programOf('bwrap', { debian: 'bubblewrap' })
export const bubblewrap: Bubblewrap = tryBubblewrap()

/** False, or why the tests that need bubblewrap are skipped. */
export const noBubblewrap =
  'program' in bubblewrap
    ? false
    : `${bubblewrap.problem} (${bubblewrap.said ?? 'apt-get install bubblewrap'})`

/** What a server of a test is started with, so that it has workspaces wherever the test runs. */
export const withWorkspaces: Record<string, string> =
  noBubblewrap === false ? {} : { ALLOW_UNSANDBOXED_SHELL: '1' }

/** A PATH that finds bash, and of bubblewrap nothing but the script that is given. */
export const pathOf = (t: Test, bwrap?: string): string => {
  const programs = mkdtempSync(path.join(tmpdir(), 'reprise-path-'))
  t.teardown(() => rmSync(programs, { recursive: true, force: true }))
  chmodSync(programs, 0o755)
  const bash = spawnSync('bash', ['-c', 'command -v bash'], { encoding: 'utf8' }).stdout.trim()
  symlinkSync(bash, path.join(programs, 'bash'))
  if (bwrap !== undefined) writeFileSync(path.join(programs, 'bwrap'), bwrap, { mode: 0o755 })
  return programs
}
