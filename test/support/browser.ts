// The system's Chromium for tests. It is found on PATH, or installed once with apt-get.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const isRoot = process.getuid?.() === 0

const onPath = (wanted: readonly string[]): string | undefined =>
  wanted
    .flatMap(name => (process.env.PATH ?? '').split(path.delimiter).map(folder => path.join(folder, name)))
    .find(file => existsSync(file))

/** Installs Chromium. Does nothing if there is no apt-get, or if it would ask for a password. */
const install = (): void => {
  const command = ['apt-get', 'install', '--yes', '--no-install-recommends', 'chromium']
  const [program = '', ...args] = isRoot ? command : ['sudo', '-n', ...command]
  if (onPath(['apt-get']) === undefined || onPath([program]) === undefined) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync(program, args, { env, stdio: 'ignore', timeout: 100_000 })
}

export const noBrowser = 'there is no Chromium, and it could not be installed: apt-get install chromium'

/** Launches Chromium, which the caller must close. Undefined: there is none, and the caller skips with `noBrowser`. */
export const launchBrowser = async (args: string[] = []): Promise<Browser | undefined> => {
  if (onPath(names) === undefined) install()
  const executablePath = onPath(names)
  if (executablePath === undefined) return undefined
  // The sandbox of Chromium does not work as root.
  return chromium.launch({ executablePath, args, chromiumSandbox: !isRoot })
}
