// The program that runs a module, and the environment variables that this program gets.
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Command } from '../platform/children/children.ts'
import { javascriptHost, pythonHost } from './where.ts'

/** The suffixes of modules. A name without a suffix is tried with each of them, in this order. */
export const suffixes = ['.mjs', '.js', '.ts', '.py', '.environment'] as const

/**
 * The variables of a program. From the server's variables it gets only PATH and LANG, since the others may hold
 * secrets. HOME and TMPDIR get other values when the instance is created.
 */
const seen = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  LANG: process.env.LANG ?? 'C.UTF-8',
  HOME: tmpdir(),
  TMPDIR: tmpdir(),
  PYTHONUTF8: '1',
  PYTHONHASHSEED: '0', // Python sets have the same order after each start
  PYTHONDONTWRITEBYTECODE: '1', // Python makes no cache folders beside the operator's modules
})

/** `root`: the operator's folder, when the module is below it. Its folders are the packages of Python. */
export const commandOf = (module: string, memoryMb: number, root: string = path.dirname(module)): Command => {
  const place = { cwd: path.dirname(module), env: seen() }
  switch (path.extname(module)) {
    case '.environment':
      return { command: module, args: [], ...place }
    case '.py':
      return { command: 'python3', args: [pythonHost(), module, root], ...place }
    default:
      return {
        command: process.execPath,
        args: [`--max-old-space-size=${memoryMb}`, javascriptHost(), module],
        ...place,
      }
  }
}
