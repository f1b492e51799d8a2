import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { beginLog } from '../src/cluster/beginning.ts'
import { createConditions } from '../src/cluster/conditions.ts'
import { openStreamKeys } from '../src/cluster/keys/stream-keys.ts'
import { createMemoryServers } from '../src/cluster/memory-log.ts'
import { createReplica } from '../src/cluster/replica.ts'
import { sqliteStore } from '../src/log/file/sqlite-store.ts'
import { type EventLog, openLog } from '../src/log/log.ts'
import { openSecrets } from '../src/platform/secrets.ts'
import { build } from '../src/platform/version.ts'
import { realWorld } from '../src/platform/world.ts'
import { callLog } from './support/callers.ts'
import { newFolder } from './support/folder.ts'
import { logFile, openFileLog } from './support/open-log.ts'
import { createNotes, interleave, printRatio } from './support/rounds.ts'

export const about = 'appending to a replicated log, over servers in memory, against one file'

const cases = [
  { callers: 512, events: 40_000, atLeast: 0.6 },
  { callers: 32, events: 20_000 },
  { callers: 1, events: 1500 },
]

const openReplicated = async (folder: string): Promise<EventLog> => {
  const { clock, random, timers } = realWorld()
  const [shared, key, logId] = [createMemoryServers().open(), Buffer.alloc(32, 1), 'log_bench']
  await beginLog(shared, key, { id: logId, position: 0 })
  const replica = createReplica({
    ...{ shared, key, logId, timers, mayClaim: () => true, report: () => {} },
    local: sqliteStore(logFile(folder), () => logId),
    keys: openStreamKeys(path.join(folder, 'stream-keys.db'), clock),
    secrets: openSecrets(path.join(folder, 'secrets.db')),
    stateFile: path.join(folder, 'cluster.json'),
    node: { name: 'one', url: 'http://one' },
    conditions: createConditions({ clock, timers, report: () => {} }),
  })
  await replica.claim()
  return openLog(replica.store, { clock, random, build })
}

export const run = async (): Promise<void> => {
  const alone = openFileLog(newFolder('alone'))
  const replicated = await openReplicated(newFolder('replicated'))
  const notes = createNotes()
  for (const { callers, events, atLeast } of cases) {
    const measured = (log: EventLog, name: string) => async (): Promise<number> => {
      const before = process.cpuUsage()
      const turns = performance.eventLoopUtilization()
      const rate = await callLog(log, callers, events)
      const { user, system } = process.cpuUsage(before)
      notes.add(`${name}: µs of processor time an event`, (user + system) / events)
      notes.add(`${name}: main thread busy`, performance.eventLoopUtilization(turns).utilization)
      return rate
    }
    const rounds = await interleave(
      { ours: measured(replicated, 'replicated'), baseline: measured(alone, 'alone') },
      { rounds: 5 },
    )
    const target = atLeast === undefined ? {} : { atLeast }
    printRatio(`append, ${callers} callers, replicated against one file`, rounds.ours, rounds.baseline, {
      ...{ unit: 'events/s', target },
    })
    notes.print()
  }
  await alone.close()
  await replicated.close()
}
