// Shows the progress of long work as a bar, if the output is a terminal.
import type { Printer } from './printer.ts'

/** The width of the bar in characters. */
const width = 24
/** The bar is drawn at most once in this many milliseconds. */
const everyMs = 100

export type Progress = (done: number, total: number) => void

/**
 * Returns a function that draws the progress of `what`, which is counted in `unit`. The next output replaces the bar.
 */
export const createProgressBar = (printer: Printer, what: string, unit: string): Progress => {
  let drawnAt = 0
  return (done, total) => {
    const now = performance.now()
    if (now - drawnAt < everyMs) return
    drawnAt = now
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const full = Math.round(share * width)
    const bar = '█'.repeat(full) + '░'.repeat(width - full)
    printer.hint(`${what} ${bar} ${Math.floor(share * 100)}% of ${total} ${unit}`)
  }
}
