import { rmSync } from 'node:fs'
import path from 'node:path'
import { newFolder } from './support/folder.ts'
import { openReadModels } from './support/made-history.ts'
import { logFile, openFileLog } from './support/open-log.ts'
import { copyRealData } from './support/real-data.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { scanAndParse } from './support/scan.ts'
import { median } from './support/stats.ts'

export const about =
  'building the read models from a million events of real use, against reading and parsing the same rows'

export const run = async (): Promise<void> => {
  const folder = await copyRealData(Number(process.env.EVENTS ?? 1_000_000), newFolder('rebuild'))
  const log = openFileLog(folder)
  const processorTimes = { parse: [] as number[], rebuild: [] as number[] }
  const perSecond = async (name: 'parse' | 'rebuild', work: () => unknown): Promise<number> => {
    const [began, before] = [performance.now(), process.cpuUsage()]
    await work()
    const { user, system } = process.cpuUsage(before) // of all threads
    processorTimes[name].push((user + system) / log.head())
    return (log.head() / (performance.now() - began)) * 1000
  }
  const rebuild = async () => {
    for (const end of ['', '-wal', '-shm']) rmSync(path.join(folder, `read.db${end}`), { force: true })
    const { store, projector } = openReadModels(folder, log)
    await projector.catchUp()
    await store.close()
  }
  const rounds = await interleave(
    {
      parse: () => perSecond('parse', () => scanAndParse(logFile(folder))),
      rebuild: () => perSecond('rebuild', rebuild),
    },
    { rounds: 3 },
  )
  printRatio(`read models of ${log.head().toLocaleString('en')} events`, rounds.rebuild, rounds.parse, {
    unit: 'events/s',
    target: { atLeast: 0.5 },
  })
  for (const [name, times] of Object.entries(processorTimes))
    console.log(`  ${name.padEnd(8)}  ${median(times).toFixed(2)} µs of processor time for each event`)
  await log.close()
}
