// Packages of Python that tests need. Each set of them gets an environment of its own, which is made once.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

/** Not in node_modules, which npm ci removes. */
const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'reprise-tests/python')
/** The most milliseconds for each step. */
const makeMs = 280_000

/**
 * The path of a Python that has these packages at exact versions, such as `wheel==0.48.0`. Undefined: there is no Python with
 * `venv`, or the packages cannot be had.
 */
export const pythonWith = (...packages: string[]): string | undefined => {
  const folder = path.join(cache, packages.join('+'))
  const pythonIn = (place: string) => path.join(place, 'bin/python')
  if (existsSync(pythonIn(folder))) return pythonIn(folder)
  // Programs in an environment name its folder, so pip runs as a module, and the folder may be renamed.
  const making = `${folder}.${process.pid}`
  mkdirSync(cache, { recursive: true })
  const run = (program: string, args: string[]) =>
    spawnSync(program, args, { stdio: 'ignore', timeout: makeMs }).status === 0
  const isMade =
    run('python3', ['-m', 'venv', making]) &&
    run(pythonIn(making), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages])
  try {
    if (isMade) renameSync(making, folder)
  } catch {} // another test file was faster
  rmSync(making, { recursive: true, force: true })
  return existsSync(pythonIn(folder)) ? pythonIn(folder) : undefined
}
