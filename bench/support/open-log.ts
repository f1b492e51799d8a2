// Opens a log in a file, as the server does.
import path from 'node:path'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { type EventLog, openLog } from '../../src/log/log.ts'
import { build } from '../../src/platform/version.ts'
import { realWorld } from '../../src/platform/world.ts'

export const logFile = (folder: string): string => path.join(folder, 'log.db')

export const openFileLog = (folder: string): EventLog => {
  const world = realWorld()
  return openLog(
    sqliteStore(logFile(folder), () => world.ids.next('log_')),
    { clock: world.clock, random: world.random, build },
  )
}
