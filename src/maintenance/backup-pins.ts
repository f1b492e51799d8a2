// A running backup marks itself with a file, so that a server beside it removes no kept state that the copied log may
// name. The file of a killed backup stops counting when nothing has touched it for a minute.
import { mkdirSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'

const touchMs = 5_000
const staleMs = 60_000

/** Whether a backup is being made. If the marker cannot be read, the answer is yes. */
export const isPinned = async (folder: string): Promise<boolean> => {
  try {
    for (const name of await readdir(folder)) {
      const { mtimeMs } = await stat(path.join(folder, name))
      if (Date.now() - mtimeMs < staleMs) return true
    }
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** Keeps all states until the returned function is called. Does nothing in a folder that is not writable. */
export const pin = (folder: string): (() => void) => {
  const file = path.join(folder, `${process.pid}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, '')
  } catch {
    return () => {}
  }
  const touching = setInterval(() => {
    const now = new Date()
    utimesSync(file, now, now)
  }, touchMs)
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
