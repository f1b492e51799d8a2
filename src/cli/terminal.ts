// Opens the output of a command, and makes Ctrl-C end the command.
import { onSignal } from './on-signal.ts'
import { createPrinter, type Printer } from './printer.ts'

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
