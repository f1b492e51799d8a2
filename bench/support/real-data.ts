// Data folders with real use in them, for benches and tests: users, conversations of 1 to 500 turns, tools, failures,
// cancels, deletes, long texts, subagents, group chats, environment sessions, cron jobs and webhooks. A server plays a
// day of it (day-of-use.ts), and a longer log has copies of this day (copied-days.ts). A folder is written once for each
// version of the code that determines it (write-real-data.ts), and kept in node_modules/.cache.
import { createHash } from 'node:crypto'
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import path from 'node:path'
import { type DataSize, writeRealData } from './write-real-data.ts'

const root = path.resolve(import.meta.dirname, '../..')
const cache = path.join(root, 'node_modules/.cache/real-data')

/** The code that determines what is in a folder, apart from how the server works. */
const sources = [
  ...['write-real-data', 'copied-days', 'day-of-use'].map(name => `bench/support/${name}.ts`),
  ...['src/log/file/schema.ts', 'projections/store.ts'],
  ...readdirSync(path.join(root, 'src/contract'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .sort()
    .map(name => `src/contract/${name}`),
]
const key = createHash('sha256')
for (const source of sources) key.update(readFileSync(path.join(root, source)))
const version = key.digest('hex').slice(0, 16)

/** Whether another process is making this folder: then its name ends with the id of that process. */
const isBeingMade = (name: string): boolean => {
  const [, pid] = name.split('.')
  if (pid === undefined) return false
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

/** Resolves to the shared folder of a size, which is made when it does not exist. Nobody may write into it. */
export const realData = async (size: DataSize): Promise<string> => {
  const name = String(size).replaceAll(' ', '_')
  const folder = path.join(cache, `${name}-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  for (const old of readdirSync(cache))
    if (old.startsWith(`${name}-`) && !isBeingMade(old))
      rmSync(path.join(cache, old), { recursive: true, force: true })
  const making = `${folder}.${process.pid}`
  mkdirSync(making)
  const began = performance.now()
  try {
    await writeRealData(making, size)
    if (!existsSync(folder)) renameSync(making, folder) // another process may have made the same folder
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  console.log(`# real data (${size}): made in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return folder
}

/** Copies the folder of a size to `to`. The copy may be changed. */
export const copyRealData = async (size: DataSize, to: string): Promise<string> => {
  cpSync(await realData(size), to, { recursive: true, mode: constants.COPYFILE_FICLONE })
  return to
}
