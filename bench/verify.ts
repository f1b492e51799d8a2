import Database from 'better-sqlite3'
import { leafOf } from '../src/log/leaf.ts'
import { verifyLog } from '../src/maintenance/verify/verify-log.ts'
import { newFolder } from './support/folder.ts'
import { logFile } from './support/open-log.ts'
import { copyRealData } from './support/real-data.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { median } from './support/stats.ts'

export const about =
  'a million events of real use verified, against reading the same rows and hashing their headers alone'

const events = 1_000_000
const pageSize = 1000

/** Reads every column of every row, and computes its leaf. */
const scanAndHash = (file: string): number => {
  const db = new Database(file, { readonly: true })
  const page = db
    .prepare<[number, number], [number, string, string, string, string]>(
      'SELECT position, header, payload, salt, leaf FROM events WHERE position > ? ORDER BY position LIMIT ?',
    )
    .raw()
  let from = 0
  for (let rows = page.all(from, pageSize); rows.length > 0; rows = page.all(from, pageSize)) {
    for (const [position, header, , , leaf] of rows) {
      if (leafOf(header) !== leaf) throw new Error(`the leaf at ${position} is wrong`)
      from = position
    }
  }
  db.close()
  return from
}

export const run = async (args: string[]): Promise<void> => {
  const folder = await copyRealData(Number(args[0] ?? events), newFolder('verify'))
  const log = logFile(folder)
  const count = scanAndHash(log)
  const processorTimes = { scan: [] as number[], verify: [] as number[] }
  const perSecond = async (name: 'scan' | 'verify', work: () => unknown): Promise<number> => {
    const [began, before] = [performance.now(), process.cpuUsage()]
    await work()
    const { user, system } = process.cpuUsage(before) // of all threads
    processorTimes[name].push((user + system) / count)
    return (count * 1000) / (performance.now() - began)
  }
  const given = { log, ownCheckpoints: undefined, checkpoints: [], key: undefined }
  const rounds = await interleave({
    scan: () => perSecond('scan', () => scanAndHash(log)),
    verify: () => perSecond('verify', () => verifyLog(given, () => {})),
  })
  printRatio('verify: digest, leaf, place, tree and file', rounds.verify, rounds.scan, {
    unit: 'events a second',
    target: { atLeast: 0.7 },
  })
  for (const [name, times] of Object.entries(processorTimes))
    console.log(`  ${name.padEnd(8)}  ${median(times).toFixed(2)} µs of processor time for each event`)
  console.log(`  memory    ${Math.round(process.memoryUsage.rss() / 1024 / 1024)} MiB at the end`)
}
