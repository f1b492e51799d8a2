// reprise backup: copies the log into one file and checks the copy. A server may run meanwhile.

import { readConfig } from '../../config.ts'
import { backUp, type Copied, DamagedLog, type OnStep, removePart } from '../../maintenance/backup/backup.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { NoAnswer } from '../terminal/exit.ts'
import type { Printer } from '../terminal/printer.ts'
import { createProgressBar } from '../terminal/progress.ts'
import { type Common, openTerminal, plural } from '../terminal/terminal.ts'
import { openLogOf } from './folder.ts'

export type CopyOptions = Common & { force?: true }

export const stepsOf = (printer: Printer): OnStep => {
  const copying = createProgressBar(printer, 'copying', 'pages')
  const checking = createProgressBar(printer, 'checking', 'events')
  return (step, done, total) => (step === 'copying' ? copying : checking)(done, total)
}

/** Turns the error about a damaged log into one with exit code 1. */
export const answering = <T>(copied: Promise<T>): Promise<T> =>
  copied.catch(error => {
    throw error instanceof DamagedLog ? new NoAnswer(error.message) : error
  })

const sizeText = (bytes: number): string => {
  const kib = bytes / 1024
  return kib < 1024 ? `${Math.ceil(kib)} KiB` : `${(kib / 1024).toFixed(1)} MiB`
}

export const copiedText = ({ position, streams, bytes, states }: Copied): string => {
  const ofLog = `${plural(position, 'event')} of ${plural(streams, 'stream')}, ${sizeText(bytes)}`
  return states === 0 ? ofLog : `${ofLog}, the states of ${plural(states, 'environment session')}`
}

export const backup = async (file: string, options: CopyOptions): Promise<void> => {
  const config = readConfig(process.env)
  const printer = openTerminal(options, () => removePart(file))
  await openLogOf(config).close() // throws when there is no log
  const { log } = filesOf(config.dataDir)
  try {
    const copied = await answering(backUp(log, file, options.force === true, stepsOf(printer)))
    await printer.rows([
      options.json
        ? JSON.stringify({ file, ...copied })
        : `${file}: ${copiedText(copied)}, every hash checked`,
    ])
  } finally {
    printer.startLine() // removes the progress bar
  }
}
