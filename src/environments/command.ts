// The program that runs a module.
import path from 'node:path'
import type { Command } from '../platform/children/children.ts'
import { variablesOfPrograms } from '../platform/programs/variables.ts'
import { javascriptHost, pythonHost } from './where.ts'

/** The suffixes of modules. A name without a suffix is tried with each of them, in this order. */
export const suffixes = ['.mjs', '.js', '.ts', '.py', '.environment'] as const

/** `root`: the operator's folder, when the module is below it. Its folders are the packages of Python. */
export const commandOf = (module: string, memoryMb: number, root: string = path.dirname(module)): Command => {
  const place = { cwd: path.dirname(module), env: variablesOfPrograms() }
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
