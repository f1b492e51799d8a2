// A system with environment sessions for tests of their actor.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { memoryEnvironments } from './memory.ts'
import { recordedOf, sessionsOf } from './sessions.ts'
import { crashedSessions, givenSessions, restartedSessions, type SessionOptions } from './system.ts'

/** A folder of the test's own; what is still written when it ends is none of tap's business. */
export const folderFor = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-sessions-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

type Options = Partial<SessionOptions>
/** Sessions in a system without a network, which the test can crash and restart. */
export const given = async (t: Test, options: Options = {}) => {
  const memory = memoryEnvironments()
  const { environments } = memory
  const faults: unknown[] = []
  let system = await givenSessions({
    environments,
    workspaceRoot: folderFor(t),
    onFault: error => faults.push(error),
    ...options,
  })
  t.teardown(() => system.close())
  return {
    memory,
    faults,
    system: () => system,
    ...sessionsOf(() => system),
    recorded: (id: string) => recordedOf(system, id),
    async crash(changes: Options = {}) {
      system = await crashedSessions(system, changes)
    },
    async restart(changes: Options = {}) {
      system = await restartedSessions(system, changes)
    },
  }
}
