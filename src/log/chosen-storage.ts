// Which storage has the log. Everything outside of the storage itself imports its functions from here.
import { sqliteStorage } from './file/sqlite-storage.ts'
import type { Storage } from './storage.ts'

export const {
  openStore,
  openReads,
  openStoredRows,
  openLeaves,
  openAuditRows,
  isThere,
  isBegun,
  identityOf,
  mustBeUsable,
  copyLog,
  putInPlace,
}: Storage = sqliteStorage
