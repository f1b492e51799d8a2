// A running backup makes a file, its marker, and touches this file regularly. While there is a marker, the server
// removes no kept states, since the copied log may name them. The marker of a killed backup counts for a minute.
import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'

/** Milliseconds between two touches of the marker. */
const touchMs = 5_000
/** A marker that was not touched for this many milliseconds does not count any more. */
const staleMs = 60_000

/** Whether a backup is being made. If the markers cannot be read, the answer is yes. */
export const isPinned = async (folder: string): Promise<boolean> => {
  try {
    for (const name of await readdir(folder)) {
      const { mtimeMs } = await stat(path.join(folder, name))
      if (Date.now() - mtimeMs < staleMs) return true
    }
    return false
  } catch (error) {
    // A marker that was just removed cannot be found either. The folder is there while another backup is made.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(folder)
  }
}

/** The most tries to make a marker: a try fails when another backup ends at that moment and removes the folder. */
const mostTries = 100

/** Makes a marker, and returns the function that removes it. Does nothing in a folder that is not writable. */
export const pin = (folder: string): (() => void) => {
  const file = path.join(folder, `${process.pid}`)
  /** Sets the time of the marker, and makes it again if it was removed. Returns whether there is a marker. */
  const touch = (tries = mostTries): boolean => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(file, '')
      return true
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' && tries > 1 && touch(tries - 1)
    }
  }
  if (!touch()) return () => {}
  const touching = setInterval(() => touch(), touchMs)
  return () => {
    clearInterval(touching)
    rmSync(file, { force: true })
    try {
      rmdirSync(folder)
    } catch {
      // Another backup is being made.
    }
  }
}
