// Checks whether a path still leads to the file that was opened there, and whether that file is still at least as long.
// Data that is written to a removed file is gone when the process ends.
import { type Stats, statSync } from 'node:fs'

export type Watch = {
  /** What happened to the file, in words that follow its name in a sentence; undefined: the file is in order. */
  fault(): string | undefined
  /** Called when SQLite has emptied the file, which may then be short again. */
  emptied(): void
}

const look = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/**
 * `grows`: the file never becomes shorter unless somebody cuts it. A file that does not exist yet is watched from its
 * creation on.
 */
export const watchFile = (path: string, grows: boolean): Watch => {
  let first = look(path)
  let longest = 0
  return {
    fault() {
      const now = look(path)
      first ??= now
      if (first === undefined) return undefined
      if (now === undefined) return 'was removed'
      if (now.ino !== first.ino || now.dev !== first.dev) return 'was replaced'
      if (now.size < longest) return 'was cut short'
      if (grows) longest = now.size
      return undefined
    },
    emptied() {
      longest = 0
    },
  }
}
