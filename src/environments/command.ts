// Which program runs a module, and all that it sees of where it runs.
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Command } from '../platform/children/children.ts'
import { javascriptHost, pythonHost } from './where.ts'

/** In this order a name without a suffix is tried. */
export const suffixes = ['.mjs', '.js', '.ts', '.py', '.environment'] as const

/** Nothing of our own environment but how programs are found. It gets its own HOME and TMPDIR when it is created. */
const seen = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  LANG: process.env.LANG ?? 'C.UTF-8',
  HOME: tmpdir(),
  TMPDIR: tmpdir(),
  PYTHONUTF8: '1',
  PYTHONHASHSEED: '0', // sets have the same order in each life
  PYTHONDONTWRITEBYTECODE: '1', // no folders beside the modules of others
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
