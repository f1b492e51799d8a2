// Says in one sentence why a process has ended.
import { withoutValues } from '../contract/variables.ts'
import type { Errors } from './errors.ts'

export const tooMuchMemory = (memoryMb: number) =>
  `the environment needed more than ${memoryMb} MiB of memory`

export const reasonOf = (
  code: number | null,
  signal: NodeJS.Signals | null,
  errors: Errors,
  memoryMb: number,
): string => {
  // The JavaScript heap has the same limit as the process, and may be full first.
  if (/heap out of memory|Allocation failed/i.test(errors.text())) return tooMuchMemory(memoryMb)
  if (signal === 'SIGXFSZ')
    return 'the environment made a file that is longer than the disk quota (QUOTA_DISK_MB)'
  const how =
    signal === null
      ? `the environment ended by itself with exit code ${code}`
      : `the environment was ended by ${signal}`
  const last = errors.lastLine()
  return last === '' ? how : `${how}: ${last}`
}

/** The greatest length of a stored reason, in characters. */
const longest = 500
/** The reason in the form in which it is stored: one line, without the values of the caller's variables. */
export const storableReason = (reason: string, secrets: readonly string[]): string =>
  withoutValues(reason, secrets)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, longest)
