// Unsuccessful ends of a command: exit codes 1, 2 and 3, each with one line on stderr.
import { CannotStart } from '../contract/cannot-start.ts'
import { DamagedEvent } from '../contract/stored.ts'

/** The answer is "no": exit code 1. */
export class NoAnswer extends Error {}
/** The server cannot be reached: exit code 3. */
export class NotReached extends Error {}

/** An error of the system or of SQLite about a file: it cannot be opened or written, or the disk is full. */
const isOutside = (error: unknown): boolean =>
  /^(E[A-Z0-9]+|SQLITE_[A-Z_]+)$/.test((error as { code?: string } | undefined)?.code ?? '')

/** The exit code of an expected error; undefined for a defect of the program. */
export const exitCodeOf = (error: unknown): number | undefined => {
  if (error instanceof NoAnswer || error instanceof DamagedEvent) return 1
  if (error instanceof CannotStart || isOutside(error)) return 2
  if (error instanceof NotReached) return 3
  return undefined
}
