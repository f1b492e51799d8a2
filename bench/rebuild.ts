import { rmSync } from 'node:fs'
import path from 'node:path'
import { newFolder } from './support/folder.ts'
import { makeLog, openReadModels } from './support/made-history.ts'
import { logFile, openFileLog } from './support/open-log.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { scanAndParse } from './support/scan.ts'

export const about =
  'building the read models from a million events, against reading and parsing the same rows'

export const run = async (): Promise<void> => {
  const folder = newFolder('rebuild')
  await makeLog(folder, { events: Number(process.env.EVENTS ?? 1_000_000), unfinished: 1000 })
  const log = openFileLog(folder)
  const perSecond = async (work: () => unknown): Promise<number> => {
    const began = performance.now()
    await work()
    return (log.head() / (performance.now() - began)) * 1000
  }
  const rebuild = async () => {
    for (const end of ['', '-wal', '-shm']) rmSync(path.join(folder, `read.db${end}`), { force: true })
    const { store, projector } = openReadModels(folder, log)
    await projector.catchUp()
    await store.close()
  }
  const rounds = await interleave(
    { parse: () => perSecond(() => scanAndParse(logFile(folder))), rebuild: () => perSecond(rebuild) },
    { rounds: 3 },
  )
  printRatio(`read models of ${log.head().toLocaleString('en')} events`, rounds.rebuild, rounds.parse, {
    unit: 'events/s',
    target: { atLeast: 0.5 },
  })
  await log.close()
}
