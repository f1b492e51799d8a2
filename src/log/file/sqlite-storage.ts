// A log in a SQLite file, as a storage (src/log/storage.ts).
import { existsSync, statSync } from 'node:fs'
import type { Storage } from '../storage.ts'
import { openAuditRows } from './audit-rows.ts'
import { copyLog, mustBeUsable, putInPlace } from './copy.ts'
import { openLeaves } from './leaves.ts'
import { openReads } from './log-reads.ts'
import { isBegun } from './sqlite-checks.ts'
import { sqliteStore } from './sqlite-store.ts'
import { openStoredRows } from './stored-rows.ts'

/** An empty file is no log, unless there is a WAL, which may hold the log. */
const isThere = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return false
  return !found.isFile() || found.size > 0 || existsSync(`${path}-wal`)
}

export const sqliteStorage: Storage = {
  openStore: (path, newLogId, others) => sqliteStore(path, newLogId, others),
  openReads,
  openStoredRows,
  openLeaves,
  openAuditRows,
  isThere,
  isBegun,
  identityOf: path => statSync(path, { throwIfNoEntry: false })?.ino.toString(),
  mustBeUsable,
  copyLog,
  putInPlace,
}
