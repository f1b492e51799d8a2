// Programs of the system that tests need. They are found on PATH, or installed once.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

const folders = [
  ...(process.env.PATH ?? '').split(path.delimiter),
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/local/bin',
]
/** The path of a program; undefined: it is in none of the usual folders. `more`: further folders. */
export const lookUp = (name: string, more: readonly string[] = []): string | undefined =>
  [...folders, ...more].map(folder => path.join(folder, name)).find(file => existsSync(file))

/** Installs a package. Does nothing if there is no installer, or if it would ask for a password. */
const install = (debian: string, brew: string | undefined): void => {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const hasApt = lookUp('apt-get') !== undefined
  if (!hasApt && brew === undefined) return
  // Waits while another test file installs something.
  const patient = ['-o', 'DPkg::Lock::Timeout=60']
  const [program = '', ...args] = hasApt
    ? [...asRoot, 'apt-get', ...patient, 'install', '--yes', '--no-install-recommends', debian]
    : ['brew', 'install', brew ?? '']
  if (lookUp(program) === undefined) return
  spawnSync(program, args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
    timeout: 100_000,
  })
}

/** The path of a program; undefined: there is none. `packages`: the packages of Debian and of Homebrew that have it. */
export const programOf = (name: string, packages: { debian: string; brew?: string }): string | undefined => {
  const there = lookUp(name)
  if (there !== undefined) return there
  install(packages.debian, packages.brew)
  return lookUp(name)
}
