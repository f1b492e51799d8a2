// Checks that the compiled part of SQLite fits this machine. It is loaded when the first database is opened, where the
// failure would look like a failure of that file.
import Database from 'better-sqlite3'
import { CannotStart } from '../../contract/cannot-start.ts'

/** Throws CannotStart when the package was installed for another system, or not whole. */
export const mustLoadSqlite = (): void => {
  try {
    new Database(':memory:').close()
  } catch (error) {
    const why = (error as Error).message.split('\n', 1)[0]
    const { platform, arch, version } = process
    throw new CannotStart(
      `SQLite cannot be loaded on ${platform}-${arch} with Node ${version} (${why}): install the packages again on this machine`,
    )
  }
}
