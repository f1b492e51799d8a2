// The exit codes of all commands. For most errors, a command ends with its code and one line on stderr.
import { CannotStart, NotNow } from '../../contract/cannot-start.ts'
import { DamagedEvent } from '../../contract/stored.ts'
import { reasonOf } from '../../log/store.ts'
import { mayPass } from '../../platform/files/unusable.ts'
import { resultOf } from '../../platform/sqlite/errors.ts'

/** Thrown when the answer of a command is "no": exit code 1. */
export class NoAnswer extends Error {}
/** Thrown when the server or NATS cannot be reached: exit code 3. */
export class NotReached extends Error {}

type Ending = {
  name: string
  code: number
  /** What the help says. Undefined: the help leaves the code out. */
  short?: string
  /** Whether the same command may succeed when it is started again, while nobody changes it or its folder. */
  again: boolean
}
/** Every way in which a command ends by itself without success. deploy/reprise.service follows this table. */
export const endings = [
  { name: 'failure', code: 1, short: 'the answer is no', again: true }, // also a fault of the program
  { name: 'wrong', code: 2, short: 'wrong usage, configuration or folder', again: false },
  { name: 'notReached', code: 3, short: 'no server reached', again: true },
  { name: 'nodeOption', code: 9, again: false }, // Node does not know one of its options, and runs nothing
  { name: 'notNow', code: 75, short: 'try again later', again: true }, // as in sysexits.h: a temporary failure
  { name: 'interrupted', code: 130, short: 'Ctrl-C', again: false },
] as const satisfies readonly Ending[]

type Name = (typeof endings)[number]['name']
const codes = Object.fromEntries(endings.map(({ name, code }) => [name, code])) as Record<Name, number>

/** True for an error of the system or of SQLite: for example, a file cannot be opened, or the disk is full. */
const isOfSystem = (error: unknown): boolean =>
  resultOf(error) !== undefined || /^E[A-Z0-9]+$/.test((error as { code?: string } | undefined)?.code ?? '')

/** The exit code for an error; undefined when the error is a defect of the program. */
export const exitCodeOf = (error: unknown): number | undefined => {
  if (error instanceof NoAnswer || error instanceof DamagedEvent) return codes.failure
  if (error instanceof NotReached) return codes.notReached
  const reason = reasonOf(error)
  if (error instanceof NotNow || mayPass(reason)) return codes.notNow
  return error instanceof CannotStart || isOfSystem(reason) ? codes.wrong : undefined
}
