// Checks whether a path still leads to the file that was opened there, and whether that file is as long as it was. Data
// written to a file that has lost its name is gone when the process ends.
import { type Stats, statSync } from 'node:fs'

export type Watch = {
  /** The problem, in words that follow the name of the file; undefined: there is none. */
  trouble(): string | undefined
  /** Called when the file was emptied, and may grow again from nothing. */
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
    trouble() {
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
