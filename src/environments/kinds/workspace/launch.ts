// Decides how a command is started: in bubblewrap where it works, else as a plain process with limits.
import { isLoaderVariable } from '../../../contract/variables.ts'
import { enclosed, find, standard } from '../../sandbox.ts'

export type Launch = {
  file: string
  args: string[]
  env: Record<string, string>
  cwd: string
  /** The input on descriptor 4. Descriptor 3 stays open as long as this process lives. */
  input: string
}

// Limits of each process: 4 GiB of addresses, files of 256 MiB, no core dumps.
const limits = (seconds: number) =>
  `ulimit -c 0; ulimit -n 1024; ulimit -f 262144; ulimit -v 4194304; ulimit -t ${Math.ceil(seconds) + 1}`

// A shell job that kills the command's process group when descriptor 3 closes, that is when this process has ended.
// Bubblewrap's own option for this does not cover the time while bubblewrap starts. The command stays in the group (no
// --new-session), which is safe, since there is no terminal.
const watchdog = '{ read -r -u 3; kill -KILL 0; } 4<&- &>/dev/null & exec 3<&-;'

type Wanted = {
  command: string
  seconds: number
  root: string
  env_vars: Readonly<Record<string, string>>
}

const withoutLoaders = (variables: Wanted['env_vars']): Wanted['env_vars'] =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !isLoaderVariable(name)))

/** `bubblewrap` is the path of the program; undefined where there is none. */
export const launchOf = (
  bubblewrap: string | undefined,
  { command, seconds, root, env_vars }: Wanted,
): Launch => {
  const bash = find('bash') ?? 'bash'
  const begin = `exec 2>&1; ${watchdog} { ${limits(seconds)}; } 2>/dev/null;`
  if (bubblewrap === undefined) {
    const env = { ...standard, HOME: root, ...withoutLoaders(env_vars) }
    return {
      file: bash,
      args: ['-c', `${begin} exec "$0" -c "$1"`, bash, command],
      env,
      cwd: root,
      input: '',
    }
  }
  // The arguments go through a descriptor, since other processes can see the command line. Moreover, variables of
  // callers, which can name a library to be loaded, then take effect only inside of the sandbox.
  const args = enclosed(root, { ...standard, HOME: '/tmp', ...env_vars })
  const inner = ['bash', '-c', 'ulimit -u 1024 2>/dev/null; exec bash -c "$1"', 'bash', command]
  return {
    file: bash,
    args: ['-c', `${begin} exec "$0" --args 4 "$@"`, bubblewrap, ...inner],
    env: standard,
    cwd: root,
    input: args.map(arg => `${arg}\0`).join(''),
  }
}
