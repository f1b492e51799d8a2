// Which files a database consists of, whatever stands under their names later.
import { statSync } from 'node:fs'

/** Undefined: it is not there. */
export type Inodes = { file: number | undefined; wal: number | undefined }

export const inodesOf = (path: string): Inodes => {
  const inodeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.ino
  return { file: inodeOf(path), wal: inodeOf(`${path}-wal`) }
}
