// The errors with which a command ends: exit code 1, 2 or 3, and one line on stderr.
import { CannotStart } from '../contract/cannot-start.ts'
import { DamagedEvent } from '../contract/stored.ts'

/** Thrown when the answer of a command is "no": exit code 1. */
export class NoAnswer extends Error {}
/** Thrown when the server cannot be reached: exit code 3. */
export class NotReached extends Error {}

/** True for an error of the system or of SQLite: for example, a file cannot be opened, or the disk is full. */
const isOutside = (error: unknown): boolean =>
  /^(E[A-Z0-9]+|SQLITE_[A-Z_]+)$/.test((error as { code?: string } | undefined)?.code ?? '')

/** The exit code for an error; undefined when the error is a defect of the program. */
export const exitCodeOf = (error: unknown): number | undefined => {
  if (error instanceof NoAnswer || error instanceof DamagedEvent) return 1
  if (error instanceof CannotStart || isOutside(error)) return 2
  if (error instanceof NotReached) return 3
  return undefined
}
