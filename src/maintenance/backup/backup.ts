// A backup consists of a copy of the log and, in a folder beside it, the kept states of environment sessions. It has no
// read models, which are made from the log, and no secrets, which never leave their file. Backup and restore check
// every event and end with one rename, so a file under its final name is always complete.
import { existsSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { CannotStart } from '../../contract/cannot-start.ts'
import { copyLog, mustBeUsable, putInPlace } from '../../log/chosen-storage.ts'
import { openLogReadOnly, type ReadOnlyLog } from '../../log/read-only.ts'
import { isDamagedStore, reasonOf } from '../../log/store.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { forbiddenAt } from '../../platform/files/permission.ts'
import { renameSynced } from '../../platform/files/plain-file.ts'
import { unusable } from '../../platform/files/unusable.ts'
import { type Checked, checkLog, type Damage } from '../verify/check-log.ts'
import { pin } from './backup-pins.ts'
import { addStates, copyStates, statesOf } from './backup-states.ts'

/** Reports progress: copying counts pages, checking counts events. */
export type OnStep = (step: 'copying' | 'checking', done: number, total: number) => void
/** `states`: the number of sessions whose kept states are in the backup. */
export type Copied = Checked & { log_id: string; bytes: number; states: number }

/** Thrown when an event of the log, or the log file itself, is damaged. */
export class DamagedLog extends Error {
  constructor(log: string, { position, reason }: Damage) {
    super(`${log} is damaged${position === undefined ? ' or is no event log' : ''}: ${reason}`)
  }
}

/** The name of a copy that is not complete yet. */
const partOf = (file: string): string => `${path.resolve(file)}.${process.pid}.part`

/** The names in the folder of a file. */
const namesBeside = (file: string): string[] => {
  const folder = path.dirname(path.resolve(file))
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Removes incomplete copies for the same target file that killed processes left. */
const removeOldParts = (file: string): void => {
  for (const name of namesBeside(file)) {
    if (!name.startsWith(`${path.basename(file)}.`)) continue
    const pid = /^(?:states\.)?(\d+)\.part(-[a-z]+)?$/.exec(name.slice(path.basename(file).length + 1))?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) {
      rmSync(path.join(path.dirname(path.resolve(file)), name), { recursive: true, force: true })
    }
  }
}
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes a copy that is not complete, with the files that the storage has put beside it. */
export const removePart = (file: string): void => {
  const part = partOf(file)
  for (const name of namesBeside(part))
    if (name === path.basename(part) || name.startsWith(`${path.basename(part)}-`))
      rmSync(path.join(path.dirname(part), name), { force: true })
  rmSync(partOf(statesOf(file)), { recursive: true, force: true })
}

const explained = (error: unknown, from: string, to: string): unknown => {
  if (isDamagedStore(error))
    return new DamagedLog(from, { position: undefined, reason: (error as Error).message })
  const reason = reasonOf(error)
  const folder = path.dirname(path.resolve(to))
  if ((reason as { code?: string }).code === undefined) return error
  const doing = `copied to ${to}`
  const why = existsSync(folder) ? forbiddenAt(folder) : `there is no folder ${folder}`
  return why === undefined
    ? unusable(to, reason, { name: from, doing })
    : new CannotStart(`${from} cannot be ${doing}: ${why}`)
}

type Part = Omit<Copied, 'states'>
/** Makes a checked copy of `from` beside `to`. The copy then only needs to be renamed. `more` runs after the check. */
const makePart = async <More>(
  from: string,
  to: string,
  onStep: OnStep,
  more: (log: ReadOnlyLog) => Promise<More> | More,
): Promise<Part & More> => {
  const part = partOf(to)
  removeOldParts(to)
  try {
    await copyLog(from, part, (done, total) => onStep('copying', done, total))
    const log = openLogReadOnly(part)
    try {
      let first: Damage | undefined
      const checked = await checkLog(
        log,
        damage => {
          first ??= damage
        },
        (done, total) => onStep('checking', done, total),
      )
      if (first !== undefined) throw new DamagedLog(from, first)
      return { ...checked, log_id: log.id, bytes: statSync(part).size, ...(await more(log)) }
    } finally {
      await log.close()
    }
  } catch (error) {
    throw explained(error, from, to)
  }
}

const isSame = (one: string, other: string): boolean =>
  existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other)

/** Makes a backup; a server may run meanwhile. Rejects with CannotStart or DamagedLog. */
export const backUp = async (log: string, to: string, force: boolean, onStep: OnStep): Promise<Copied> => {
  if (isSame(log, to)) throw new CannotStart(`${to} is the log itself: choose another name`)
  const there = statSync(to, { throwIfNoEntry: false })
  if (there?.isDirectory()) throw new CannotStart(`${to} is a folder: name a file in it`)
  if (there !== undefined && !force)
    throw new CannotStart(`${to} exists: choose another name, or add --force`)
  const { sessions, backups } = filesOf(path.dirname(log))
  const [states, statesPart] = [statesOf(to), partOf(statesOf(to))]
  const release = pin(backups)
  try {
    rmSync(statesPart, { recursive: true, force: true })
    const copied = await makePart(log, to, onStep, async copy => ({
      states: await copyStates(copy, sessions, statesPart),
    }))
    rmSync(states, { recursive: true, force: true })
    if (copied.states > 0) renameSync(statesPart, states)
    renameSynced(partOf(to), path.resolve(to))
    return copied
  } finally {
    release()
    removePart(to)
  }
}

/**
 * Restores the backup `from` as `log`. The caller must hold the lock of the folder. `goOn` may append to the new log
 * before it gets its name. Rejects with CannotStart or DamagedLog; the old log is then unchanged.
 */
export const restore = async (
  from: string,
  log: string,
  force: boolean,
  goOn: (part: string, copied: Part) => Promise<void>,
  onStep: OnStep,
): Promise<Copied> => {
  if (isSame(log, from)) throw new CannotStart(`${from} is the log itself: name a backup`)
  if (existsSync(log) && !force)
    throw new CannotStart(`${log} exists: choose another DATA_DIR, or add --force to replace it`)
  try {
    const copied = await makePart(from, log, onStep, () => ({}))
    mustBeUsable(partOf(log))
    await goOn(partOf(log), copied)
    const states = addStates(statesOf(from), filesOf(path.dirname(log)).sessions)
    putInPlace(partOf(log), log)
    return { ...copied, states }
  } catch (error) {
    throw explained(error, from, log)
  } finally {
    removePart(log)
  }
}
