// What a check has found: one line for each.
import type { Printer } from '../terminal/printer.ts'

export type Finding = {
  /** What was checked, in a word or two. */
  what: string
  holds: boolean
  found: string
}

/** A finding as people see it. */
export const lineOf = (printer: Printer, { what, holds, found }: Finding): string =>
  printer.paint(`${holds ? 'holds' : 'FAILS'}  ${what.padEnd(11)}  ${found}`, holds ? 'plain' : 'red')
