import path from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { openRaw, openSyncLoop, type RawRow } from './baselines/raw-insert.ts'
import { callLog } from './support/callers.ts'
import { newFolder } from './support/folder.ts'
import { logFile, openFileLog } from './support/open-log.ts'
import { rawRows } from './support/raw-rows.ts'
import { createNotes, interleave, printRatio } from './support/rounds.ts'

export const about =
  'whole events through the log with 512, 32 and 1 callers, against raw inserts and plain syncs'

const cases = [
  { callers: 512, events: 120_000, atLeast: 0.42 },
  { callers: 32, events: 60_000, atLeast: 0.5 },
]
const alone = { events: 3000, atLeast: 0.4 }
const notes = createNotes()

/** Measures the main thread while the log works: the delay of a timer, and the share of time for which it is busy. */
const watched = async (work: () => Promise<number>): Promise<number> => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const before = performance.eventLoopUtilization()
  delay.enable()
  const rate = await work()
  delay.disable()
  notes.add('main-thread delay p50 ms', delay.percentile(50) / 1e6 - 1)
  notes.add('p99 ms', delay.percentile(99) / 1e6 - 1)
  notes.add('max ms', delay.max / 1e6 - 1)
  notes.add('main thread busy', performance.eventLoopUtilization(before).utilization)
  return rate
}

export const run = async (): Promise<void> => {
  const folder = newFolder('append')
  const log = openFileLog(folder)
  await callLog(log, 512, 20_000)
  const rows: RawRow[] = rawRows(logFile(folder))
  const raw = openRaw(path.join(folder, 'raw.db'))
  for (const { callers, events, atLeast } of cases) {
    const rounds = await interleave(
      {
        baseline: async () => raw.insert(rows, events, callers),
        ours: () => watched(() => callLog(log, callers, events)),
      },
      { rounds: 7 },
    )
    printRatio(
      `append, ${callers} callers, against raw inserts in batches of ${callers}`,
      rounds.ours,
      rounds.baseline,
      {
        unit: 'events/s',
        target: { atLeast },
      },
    )
    notes.print()
  }
  raw.close()
  const syncs = openSyncLoop(path.join(folder, 'blocks'))
  const rounds = await interleave(
    {
      baseline: async () => syncs.run(alone.events),
      ours: () => watched(() => callLog(log, 1, alone.events)),
    },
    { rounds: 9 },
  )
  printRatio('append, 1 caller, against 4 KiB written and synced', rounds.ours, rounds.baseline, {
    unit: 'a second',
    target: { atLeast: alone.atLeast },
  })
  notes.print()
  syncs.close()
  await log.close()
}
