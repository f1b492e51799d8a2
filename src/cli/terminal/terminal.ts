// Opens the output of a command, and makes Ctrl-C end the command.
import { createPrinter, type Printer } from './printer.ts'

// Handles Ctrl-C, SIGTERM and a terminal that closes, in a command that runs no server: `tidy` removes unfinished files,
// then the process ends.

const onSignal = (tidy: () => void): void => {
  const ends = (signal: NodeJS.Signals, code: number) =>
    process.once(signal, () => {
      tidy()
      process.exit(code)
    })
  ends('SIGHUP', 129)
  ends('SIGINT', 130)
  ends('SIGTERM', 143)
}

/** Options of every command; `color` is false with --no-color. */
export type Common = { json?: true; color: boolean }

/** `tidy` is called when a signal ends the command. */
export const openTerminal = ({ color }: Common, tidy: () => void = () => {}): Printer => {
  const { stdout: out, stderr: err, env } = process
  const printer = createPrinter({ out, err, env, colours: color })
  onSignal(() => {
    printer.startLine()
    tidy()
  })
  return printer
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`
