// Says why a file cannot be used: a full disk, missing rights and damage need different answers, and only what is damaged
// may be removed. SQLite keeps the error of the system to itself, so the system is asked again.
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { CannotStart, NotNow } from '../../contract/cannot-start.ts'
import { lineOf, type Result, resultOf } from '../sqlite/errors.ts'
import { forbiddenAt } from './permission.ts'

/** `damaged`: the content of the file is not as it was written. `mayPass`: waiting, or work elsewhere, can mend it. */
export type Cause = { why: string; mayPass: boolean; damaged?: true }

const silent = 'the file system does not answer: look at its mount'
/** By the errors of the system: what the operator should know. */
const passing: Record<string, string> = {
  ENOSPC: 'the disk is full: free space on it',
  EDQUOT: 'the quota of this user on the disk is used up: free space, or raise the quota',
  EIO: 'the disk reports an I/O error: look at the messages of the kernel (dmesg)',
  ENFILE: 'the machine has too many open files',
  ENOMEM: 'the machine has no memory left',
  ENXIO: silent,
  ENODEV: silent,
  ESTALE: silent,
  ENOTCONN: silent,
  ETIMEDOUT: silent,
  EHOSTDOWN: silent,
  EHOSTUNREACH: silent,
}
const lasting: Record<string, string> = {
  EMFILE: 'this process may not open more files: raise its limit (ulimit -n, or LimitNOFILE of the unit)',
  EFBIG: 'this process may not write a file of this size: raise its limit (ulimit -f)',
  EROFS: 'the file system is mounted read-only: mount it again with the right to write',
  EACCES: 'the system forbids it: look for a rule of SELinux or AppArmor',
  EPERM: 'the system forbids it: look for the attribute "immutable" (lsattr), or for a file of another user',
  ENOTDIR: 'a part of its path is a file and not a folder',
  ELOOP: 'its links lead nowhere: remove the link',
}

const byCode = (code: string): Cause | undefined => {
  const [passes, lasts] = [passing[code], lasting[code]]
  if (passes !== undefined) return { why: `${passes} (${code})`, mayPass: true }
  return lasts === undefined ? undefined : { why: `${lasts} (${code})`, mayPass: false }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')

const outside: ReadonlySet<Result | undefined> = new Set(['locked', 'full', 'closed', 'no-memory'])
/** Whether an error is about the disk, the rights or a lock, and says nothing about the content of the file. */
export const isOutside = (error: unknown): boolean =>
  /^E[A-Z0-9]+$/.test(codeOf(error)) || outside.has(resultOf(error))

/** Opens a file and writes beside it, as SQLite does. Returns the code of the system's error; undefined: it works. */
const tried = (file: string): string | undefined => {
  const beside = `${file}.${process.pid}.try`
  const opened: number[] = []
  try {
    if (existsSync(file)) opened.push(openSync(file, 'r+'))
    const trial = openSync(beside, 'w', 0o600)
    opened.push(trial)
    writeSync(trial, Buffer.alloc(4096))
    fsyncSync(trial)
    return undefined
  } catch (error) {
    return codeOf(error)
  } finally {
    for (const each of opened) closeSync(each)
    rmSync(beside, { force: true })
  }
}

/** What an error of SQLite says when the system has no complaint of its own. */
const byResult = (result: Result | undefined): Cause | undefined => {
  if (result === 'locked')
    return { why: 'another process has locked it: wait, or end that process', mayPass: true }
  if (result === 'full') return byCode('ENOSPC')
  if (result === 'failing') return byCode('EIO')
  return result === 'no-memory' ? byCode('ENOMEM') : undefined
}

/** Why a file cannot be used, from the error of the system or of SQLite that came when it was used. */
export const causeOf = (error: unknown, file: string): Cause => {
  const [result, message] = [resultOf(error), lineOf(error)]
  if (result === 'damaged') return { why: `it is damaged: ${message}`, mayPass: false, damaged: true }
  const forbidden = forbiddenAt(file)
  if (forbidden !== undefined) return { why: forbidden, mayPass: false }
  const folder = path.dirname(path.resolve(file))
  if (!existsSync(folder)) return { why: `there is no folder ${folder}`, mayPass: false }
  const system = result === undefined ? codeOf(error) : (tried(file) ?? '')
  return byCode(system) ?? byResult(result) ?? { why: message, mayPass: false }
}

/** Whether an error of the system or of SQLite may pass: nobody need change the command or a file of ours. */
export const mayPass = (error: unknown): boolean =>
  (byCode(codeOf(error)) ?? byResult(resultOf(error)))?.mayPass ?? false

/** `doing`: what was to be done with the file. `whenDamaged`: what to do when the file is damaged. */
type Words = { name?: string; doing?: string; whenDamaged?: string }

/** The error for a file that cannot be used. An error that says already what to do stays as it is. */
export const unusable = (file: string, error: unknown, words: Words = {}): CannotStart => {
  if (error instanceof CannotStart) return error
  const { name = file, doing = 'used', whenDamaged } = words
  const { why, mayPass, damaged } = causeOf(error, file)
  const wayOut = damaged && whenDamaged !== undefined ? `; ${whenDamaged}` : ''
  const text = `${name} cannot be ${doing}: ${why}${wayOut}`
  return mayPass ? new NotNow(text) : new CannotStart(text)
}
