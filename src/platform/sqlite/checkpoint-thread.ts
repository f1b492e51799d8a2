// The thread that copies the WALs of databases into their files. Its syncs of the disk may take long, but no writer or
// reader waits for this thread. It answers each request, in order.

import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { type Inodes, inodesOf } from './inodes.ts'

/** `copy`: copies the WAL of a database. `close`: closes the file of the database, until the next copy. */
export type Request =
  | { ask: 'copy'; database: number; path: string; inodes: Inodes }
  | { ask: 'close'; database: number }

const connections = new Map<number, Database.Database>()

/**
 * The connection of this thread to a database. It is opened once, and only if the files are still those that the server
 * writes: pages of one file must not be copied into another file with the same name, and a missing file must not be
 * created here.
 */
const opened = (database: number, path: string, inodes: Inodes): Database.Database => {
  const open = connections.get(database)
  if (open !== undefined) return open
  const now = inodesOf(path)
  if (now.file !== inodes.file || now.wal !== inodes.wal) throw new Error(`${path} or its WAL was replaced`)
  const connection = new Database(path, { fileMustExist: true })
  connections.set(database, connection)
  return connection
}

/** The thread copies a WAL with more pages than this until no page is left, so that SQLite can reuse the WAL. */
const longWal = 2048
/** The most copies for one request. While there are many writers, the thread cannot catch up with them. */
const mostCopies = 20

/**
 * Copies the WAL. Commits that come during a copy are left, and the next copy takes less time, so fewer are left then.
 * When all pages are copied, the next commit reuses the WAL from its start. Otherwise a writing connection would have to
 * copy the rest itself later, and its commit would wait for the sync of the file.
 */
const copy = (connection: Database.Database): void => {
  let copied = -1
  for (let n = 0; n < mostCopies; n++) {
    // `log` is the number of pages when the copy began. So nothing is left when two copies found the same number.
    const [{ log }] = connection.pragma('wal_checkpoint(PASSIVE)') as [{ log: number }]
    if (log < longWal || log === copied) return
    copied = log
  }
}

parentPort?.on('message', (request: Request) => {
  try {
    if (request.ask === 'copy') copy(opened(request.database, request.path, request.inodes))
    else {
      const connection = connections.get(request.database)
      connections.delete(request.database)
      connection?.close()
    }
  } catch {
    // Pages that cannot be copied now are copied later. Readers notice a damaged file.
  }
  parentPort?.postMessage('done')
})
