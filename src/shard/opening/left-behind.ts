// What a start finds in the data folder although the log does not name it: files of environment sessions, and secret
// values. Usually a crash has left them, and they are removed. But a log that was restored from a backup, or that goes
// on after a loss, may only have forgotten them, and its newer events may come back. Then they are moved to a folder of
// their own, where the operator finds them. Like a backup, this folder is not changed by an erasure.
import { existsSync } from 'node:fs'
import { cp, mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { logStream } from '../../contract/events/log-events.ts'
import type { Report } from '../../contract/ports.ts'
import { StorageFailure } from '../../contract/stored.ts'
import type { EventLog } from '../../log/log.ts'
import type { filesOf } from '../../platform/files/data-folder.ts'
import { makeOwnFolder } from '../../platform/files/make-folder.ts'
import { removeFolder } from '../../platform/files/remove-folder.ts'
import { openSecrets, type Secrets } from '../../platform/secrets.ts'

/** A free name: the name itself, or with a number after it when an earlier start has used it. */
const freeName = (wanted: string): string => {
  let name = wanted
  for (let n = 2; existsSync(name); n++) name = `${wanted}.${n}`
  return name
}

/** Moves a file or folder, also to another file system. */
const move = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    await removeFolder(from)
  }
}

/** Works with the secret values that were set aside. */
const withKept = <T>(file: string, work: (kept: Secrets) => T): T => {
  const kept = openSecrets(file)
  try {
    return work(kept)
  } finally {
    kept.close()
  }
}

/** The same secrets, but values that a sweep removes are set aside in a folder. There, a log that names them finds them. */
const keepingIn = (folder: string, secrets: Secrets, report: Report, say: () => void): Secrets => {
  const file = path.join(folder, 'secrets.db')
  return {
    ...secrets,
    get(ref) {
      const values = secrets.get(ref)
      if (values !== undefined || !existsSync(file)) return values
      try {
        return withKept(file, kept => {
          const found = kept.get(ref)
          if (found === undefined) return undefined
          secrets.put(ref, found)
          kept.forget(ref)
          return found
        })
      } catch (error) {
        throw new StorageFailure('secret values cannot be read', { cause: error })
      }
    },
    sweep(isNamed) {
      const unnamed = secrets.refs().filter(ref => !isNamed(ref))
      if (unnamed.length === 0) return
      try {
        makeOwnFolder(folder)
        withKept(file, kept => {
          for (const ref of unnamed) kept.put(ref, secrets.get(ref) ?? {})
        })
      } catch (error) {
        const what = 'secret values that the log does not name stay where they are'
        report('warn', `${what}: they cannot be moved`, { error: String(error) })
        return
      }
      secrets.sweep(isNamed)
      say()
    },
  }
}

const movingInto = (folder: string, sessions: string, report: Report) => {
  let isSaid = false
  const say = () => {
    if (isSaid) return
    isSaid = true
    const what = 'what the log does not name since it was restored, or lost events, was moved to'
    report('warn', `${what} ${folder}: remove that folder when you do not need it`)
  }
  return {
    /** Takes a folder away from the folder of sessions. */
    async takeAway(at: string): Promise<void> {
      const to = freeName(path.join(folder, path.relative(sessions, at)))
      makeOwnFolder(folder)
      await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
      await move(at, to)
      say()
    },
    keeping: (secrets: Secrets): Secrets => keepingIn(folder, secrets, report, say),
  }
}

/** How to take away what the log does not name; undefined: it may be removed, since the log has lost no events. */
export const leftBehind = (
  log: Pick<EventLog, 'revisionOf'>,
  { leftBehind: folder, sessions }: Pick<ReturnType<typeof filesOf>, 'leftBehind' | 'sessions'>,
  report: Report,
) => (log.revisionOf(logStream) < 0 ? undefined : movingInto(folder, sessions, report))
