// The wall around the commands of a workspace: bubblewrap, where it is there and the system lets it work.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** `limits`: no sandbox; a command may read and write whatever the service may. */
export type Wall = 'bubblewrap' | 'limits'

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

/** The program, if it is there and the system lets it work. */
export const findBubblewrap = (root: string): string | undefined => {
  const program = find('bwrap')
  if (program === undefined) return undefined
  const { status } = spawnSync(program, [...enclosed(root, standard), 'true'], { stdio: 'ignore' })
  return status === 0 ? program : undefined
}
