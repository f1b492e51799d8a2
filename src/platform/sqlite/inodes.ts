// Identifies the files of a database, even when other files get their names later.
import { statSync } from 'node:fs'

/** Undefined for a file that does not exist. */
export type Inodes = { file: number | undefined; wal: number | undefined }

export const inodesOf = (path: string): Inodes => {
  const inodeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.ino
  return { file: inodeOf(path), wal: inodeOf(`${path}-wal`) }
}
