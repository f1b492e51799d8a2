// Writes lines for the operator to stderr: plain text if stderr is a terminal, otherwise JSON.
import type { Report } from '../../contract/ports.ts'

const ranks = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const

export const createReport = (level: keyof typeof ranks, out: NodeJS.WriteStream = process.stderr): Report => {
  const least = ranks[level]
  return (lineLevel, message, fields = {}) => {
    if (ranks[lineLevel] < least) return
    const time = new Date().toISOString()
    const line = out.isTTY
      ? `${time} ${lineLevel} ${message}${Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''}`
      : JSON.stringify({ time, level: lineLevel, message, ...fields })
    out.write(`${line}\n`)
  }
}
