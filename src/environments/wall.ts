// The sandbox of workspace commands: bubblewrap, where it is installed and the system lets it work.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import type { UserId } from '../contract/user-id.ts'

/**
 * `limits`: no sandbox; a command can read and write every file that its parent process can. `refused`: there is no
 * sandbox, and commands do not run without one.
 */
export type Wall = 'bubblewrap' | 'limits' | 'refused'

/** The path of the workspace folder as commands see it, where a sandbox hides the real path. */
export const home = '/workspace'

/** The variables that every command starts with. */
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

/** Access to programs of the system (read) and to the folder (write) only: no network, no other process, no home. */
export const enclosed = (root: string, env: Record<string, string>): string[] => [
  ...['--unshare-all', '--unshare-user', '--die-with-parent', '--cap-drop', 'ALL'],
  ...['--uid', '1000', '--gid', '1000', '--hostname', 'workspace', '--clearenv'],
  ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
  ...seen.flatMap(folder => ['--ro-bind-try', folder, folder]),
  ...seenOfEtc.flatMap(name => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
  ...['--proc', '/proc', '--dev', '/dev', ...scratch, '/dev/shm', ...scratch, '/tmp'],
  ...['--bind', root, home, '--chdir', home, '--remount-ro', '/dev', '--remount-ro', '/'],
]

/** The path of bubblewrap, or why it cannot be used; `said` is its own error output, for the operator. */
export type Bubblewrap = { program: string } | { problem: string; said?: string }

const trialMs = 10_000

/** Runs bubblewrap once, with the flags that commands get, as the user that runs the commands. */
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
