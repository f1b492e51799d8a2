// Progress of long work, as a bar at a terminal; nothing elsewhere.
import type { Printer } from './printer.ts'

const width = 24
const everyMs = 100

export type Progress = (done: number, total: number) => void

/** `what` is in progress, counted in `unit`. The line is drawn again and again, until the next output. */
export const createProgress = (printer: Printer, what: string, unit: string): Progress => {
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
