// Writes a data folder with real use in it. See real-data.ts.
import { readConfig } from '../../src/config.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { openLog } from '../../src/log/log.ts'
import { build } from '../../src/platform/version.ts'
import { realWorld } from '../../src/platform/world.ts'
import { startServer } from '../../src/start/server.ts'
import { createCopyClock, writeCopies } from './copied-days.ts'
import { fullDay, smallDay, useForADay } from './day-of-use.ts'
import { newFolder, removeFolder } from './folder.ts'
import { openReadModels } from './made-history.ts'
import { logFile, openFileLog } from './open-log.ts'

/**
 * `small`: some hundreds of events, made within seconds; `ten small`: ten copies of them. A number: at least so many
 * events.
 */
export type DataSize = 'small' | 'ten small' | number
const leastEvents = (size: DataSize, ofDay: number): number => {
  if (typeof size === 'number') return size
  return size === 'small' ? 0 : 10 * ofDay
}

const token = 'real-data-token'

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
  await useForADay(server.url, token, typeof size === 'number' ? fullDay : smallDay).finally(() =>
    server.stop(),
  )
  const log = openFileLog(folder)
  const day: Recorded[] = []
  for await (const page of log.readAll()) day.push(...page)
  await log.close()
  removeFolder(folder)
  return day
}

/** Writes a log, and the read models beside it as a running server does. */
export const writeRealData = async (folder: string, size: DataSize): Promise<void> => {
  const day = await playDay(size)
  const { random, ids } = realWorld()
  const clock = createCopyClock()
  const store = sqliteStore(logFile(folder), () => ids.next('log_'))
  const log = openLog(store, { clock, random, build })
  const models = openReadModels(folder, log)
  log.onCommit(models.projector.follow)
  await writeCopies(log, clock, day, leastEvents(size, day.length))
  await log.settled()
  await models.projector.catchUp()
  await models.store.close()
  await log.close()
}
