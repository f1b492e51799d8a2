// Data folders with real use in them, for benches and tests: users, conversations of 1 to 500 turns, tools, failures,
// cancels, deletes, long texts, subagents, group chats, environment sessions, cron jobs and webhooks. A server plays a
// day of it (day-of-use.ts), and a longer log has copies of this day (copied-days.ts). A folder is made once for each
// version of the code that determines it, and kept in node_modules/.cache.
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
import { readConfig } from '../../src/config.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { openLog } from '../../src/log/log.ts'
import { sqliteStore } from '../../src/log/sqlite-store.ts'
import { startServer } from '../../src/main.ts'
import { build } from '../../src/platform/version.ts'
import { realWorld } from '../../src/platform/world.ts'
import { createCopyClock, writeCopies } from './copied-days.ts'
import { fullDay, smallDay, useForADay } from './day-of-use.ts'
import { newFolder, removeFolder } from './folder.ts'
import { openReadModels } from './made-history.ts'
import { logFile, openFileLog } from './open-log.ts'

/** `small`: some hundreds of events, made within seconds. A number: at least so many events. */
export type DataSize = 'small' | number

const root = path.resolve(import.meta.dirname, '../..')
const cache = path.join(root, 'node_modules/.cache/real-data')
const token = 'real-data-token'

/** The code that determines what is in a folder, apart from how the server works. */
const sources = [
  ...['real-data', 'copied-days', 'day-of-use'].map(name => `bench/support/${name}.ts`),
  ...['src/log/schema.ts', 'projections/store.ts'],
  ...readdirSync(path.join(root, 'src/contract'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .sort()
    .map(name => `src/contract/${name}`),
]
const key = createHash('sha256')
for (const source of sources) key.update(readFileSync(path.join(root, source)))
const version = key.digest('hex').slice(0, 16)

/** Lets a server of this process be used for a day. Resolves to everything that it has stored. */
const playDay = async (size: DataSize): Promise<Recorded[]> => {
  const folder = newFolder('day')
  const config = readConfig({
    ...{ DATA_DIR: folder, PORT: '0', ADMIN_TOKEN: token, DRAIN_SECONDS: '0', ENV_UID_BASE: '0' },
    ...{ ALLOW_PRIVATE_URLS: '1', ENV_SESSION_IDLE_SECONDS: String(10 ** 9) },
    ...Object.fromEntries(
      ['CREATED', 'QUEUED', 'WORKING', 'PAUSED', 'INPUT_REQUIRED'].map(state => [`TASK_TTL_${state}`, '0']),
    ),
  })
  const server = await startServer(config, (level, message, fields) => {
    if (level === 'error') console.error(message, fields)
  })
  await useForADay(server.url, token, size === 'small' ? smallDay : fullDay).finally(() => server.stop())
  const log = openFileLog(folder)
  const day: Recorded[] = []
  for await (const page of log.readAll()) day.push(...page)
  await log.close()
  removeFolder(folder)
  return day
}

/** Writes a log, and the read models beside it as a running server does. */
const write = async (folder: string, size: DataSize): Promise<void> => {
  const day = await playDay(size)
  const { random, ids } = realWorld()
  const clock = createCopyClock()
  const store = sqliteStore(logFile(folder), () => ids.next('log_'))
  const log = openLog(store, { clock, random, build })
  const models = openReadModels(folder, log)
  log.onCommit(models.projector.follow)
  await writeCopies(log, clock, day, size === 'small' ? 0 : size)
  await log.settled()
  await models.projector.catchUp()
  await models.store.close()
  await log.close()
}

/** Resolves to the shared folder of a size, which is made when it does not exist. Nobody may write into it. */
export const realData = async (size: DataSize): Promise<string> => {
  const folder = path.join(cache, `${size}-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  for (const old of readdirSync(cache))
    if (old.startsWith(`${size}-`)) rmSync(path.join(cache, old), { recursive: true, force: true })
  const making = `${folder}.${process.pid}`
  mkdirSync(making)
  const began = performance.now()
  try {
    await write(making, size)
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
