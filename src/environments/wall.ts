// The wall around the commands of a workspace: bubblewrap, where it is installed and the system lets it work.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import type { UserId } from '../contract/user-id.ts'

/**
 * `limits`: no sandbox; a command may read and write whatever the process that starts it may. `refused`: there is no
 * sandbox, and commands are not run without one.
 */
export type Wall = 'bubblewrap' | 'limits' | 'refused'

/** What commands see the folder as, where a wall hides its place. */
export const home = '/workspace'

/** What a command knows of where it is, before anything is added. */
export const standard = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
}

export const find = (program: string): string | undefined =>
  (process.env.PATH ?? standard.PATH)
    .split(path.delimiter)
    .map(folder => path.join(folder, program))
    .find(file => {
      try {
        accessSync(file, constants.X_OK)
        return path.isAbsolute(file)
      } catch {
        return false
      }
    })

const seen = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64']
const seenOfEtc = ['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime']
const scratch = ['--size', String(256 << 20), '--tmpfs']

/** Programs of the system to read, the folder to write, and nothing else: no network, no other process, no home. */
export const enclosed = (root: string, env: Record<string, string>): string[] => [
  ...['--unshare-all', '--unshare-user', '--die-with-parent', '--cap-drop', 'ALL'],
  ...['--uid', '1000', '--gid', '1000', '--hostname', 'workspace', '--clearenv'],
  ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
  ...seen.flatMap(folder => ['--ro-bind-try', folder, folder]),
  ...seenOfEtc.flatMap(name => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
  ...['--proc', '/proc', '--dev', '/dev', ...scratch, '/dev/shm', ...scratch, '/tmp'],
  ...['--bind', root, home, '--chdir', home, '--remount-ro', '/dev', '--remount-ro', '/'],
]

/** Where bubblewrap is, or why it cannot be used; `said`: what it said itself, for the operator. */
export type Bubblewrap = { program: string } | { problem: string; said?: string }

const trialMs = 10_000

/** Runs bubblewrap once, with the flags that commands get, as the user whose commands it will enclose. */
export const tryBubblewrap = (user?: UserId): Bubblewrap => {
  const program = find('bwrap')
  if (program === undefined) return { problem: 'bubblewrap is not installed' }
  const { status, error, stderr } = spawnSync(
    program,
    [...enclosed('/usr', standard), 'bash', '-c', 'exit 0'],
    { ...user, env: standard, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: trialMs },
  )
  if (status === 0) return { program }
  const said = (error?.message ?? stderr.trim().split('\n', 1)[0] ?? '').slice(0, 300)
  return { problem: 'bubblewrap is installed but does not work on this machine', said }
}
