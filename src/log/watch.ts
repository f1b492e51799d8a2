// Whether a path still leads to the file that was opened there, and whether that is as long as it was. What is written to
// a file that has lost its name is gone with the process.
import { type Stats, statSync } from 'node:fs'

export type Watch = {
  /** In words that follow the name of the file; undefined: all is well. */
  trouble(): string | undefined
  /** It may begin again from nothing. */
  emptied(): void
}

const look = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** `grows`: it never becomes shorter by itself. A file that is not there yet is looked at from its beginning on. */
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
