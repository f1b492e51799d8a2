// The program that runs a module, and the environment variables that this program gets.
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Command } from '../platform/children/children.ts'
import { javascriptHost, pythonHost } from './where.ts'

/** The order in which suffixes are tried for a name without one. */
export const suffixes = ['.mjs', '.js', '.ts', '.py', '.environment'] as const

/** Of our own variables only those that find programs. HOME and TMPDIR are set again when the instance is created. */
const seen = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  LANG: process.env.LANG ?? 'C.UTF-8',
  HOME: tmpdir(),
  TMPDIR: tmpdir(),
  PYTHONUTF8: '1',
  PYTHONHASHSEED: '0', // sets have the same order after each start
  PYTHONDONTWRITEBYTECODE: '1', // no cache folders beside the operator's modules
})

export const commandOf = (module: string, memoryMb: number): Command => {
  const place = { cwd: path.dirname(module), env: seen() }
  switch (path.extname(module)) {
    case '.environment':
      return { command: module, args: [], ...place }
    case '.py':
      return { command: 'python3', args: [pythonHost(), module], ...place }
    default:
      return {
        command: process.execPath,
        args: [`--max-old-space-size=${memoryMb}`, javascriptHost(), module],
        ...place,
      }
  }
}
