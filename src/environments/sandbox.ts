// The sandbox of workspace commands: bubblewrap, where it is installed and the system lets it work.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import type { UserId } from '../contract/user-id.ts'

/**
 * `bubblewrap`: commands run in a sandbox. `limits`: commands run without a sandbox, under limits of time and size
 * only; a command can read and write every file that its parent process can. `refused`: there is no sandbox, and the
 * operator has not allowed commands without one, so none run.
 */
export type Sandbox = 'bubblewrap' | 'limits' | 'refused'

/** The path of the workspace folder inside of the sandbox, which hides the folder's real path. */
export const home = '/workspace'

/** The variables that every command starts with. */
export const standard = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
}

/** The path of a program on PATH; undefined: it is not installed. */
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

/** The folders of the system, and the entries of /etc, that commands in the sandbox can read. */
const seen = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64']
const seenOfEtc = ['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime']
/** The options before a path where a sandbox gets a temporary file system of 256 MiB. */
const scratch = ['--size', String(256 << 20), '--tmpfs']

/**
 * The options of bubblewrap for a command. The command can read the programs of the system, and read and write the
 * folder `root`. It has no network, and sees no other process and no home folder.
 */
export const enclosed = (root: string, env: Record<string, string>): string[] => [
  ...['--unshare-all', '--unshare-user', '--die-with-parent', '--cap-drop', 'ALL'],
  ...['--uid', '1000', '--gid', '1000', '--hostname', 'workspace', '--clearenv'],
  ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
  ...seen.flatMap(folder => ['--ro-bind-try', folder, folder]),
  ...seenOfEtc.flatMap(name => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
  ...['--proc', '/proc', '--dev', '/dev', ...scratch, '/dev/shm', ...scratch, '/tmp'],
  ...['--bind', root, home, '--chdir', home, '--remount-ro', '/dev', '--remount-ro', '/'],
]

/** The path of bubblewrap, or why it cannot be used. `said`: what bubblewrap itself reported, for the operator. */
export type Bubblewrap = { program: string } | { problem: string; said?: string }

/** The trial of bubblewrap may take at most this many milliseconds. */
const trialMs = 10_000

/** Runs bubblewrap once as a trial, with the options that commands get and as the user that runs the commands. */
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
