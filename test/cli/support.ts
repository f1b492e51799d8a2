// A reprise command that is still running: what it has said so far, signals to it, and a terminal for it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Test } from 'tap'
import { createProgram } from '../../src/cli/program.ts'
import { exitCodeOf } from '../../src/cli/terminal/exit.ts'
// Builds what is run here, where nobody has.
import { adminToken } from '../support/server.ts'

const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const watch = (t: Test, child: ChildProcess) => {
  const said = { stdout: '', stderr: '' }
  child.stdout?.on('data', chunk => (said.stdout += chunk))
  child.stderr?.on('data', chunk => (said.stderr += chunk))
  const closed = once(child, 'close') as Promise<[number | null]>
  t.teardown(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const ended = closed.then(([code]) => ({ code, ...said }))
  return {
    said,
    ended,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    type: (text: string) => void child.stdin?.write(text),
    /** Resolves when it has said that, on either stream; rejects when it ends before. */
    until: async (what: RegExp): Promise<void> => {
      const seen = () => what.test(said.stdout) || what.test(said.stderr)
      while (!seen()) {
        const over = await Promise.race([
          ended.then(() => true),
          new Promise(go => setTimeout(go, 10, false)),
        ])
        if (over && !seen()) throw new Error(`it ended before ${what}: ${JSON.stringify(said).slice(-1000)}`)
      }
    },
  }
}

type Env = Record<string, string>
const environment = (env: Env): Env => ({ PATH: process.env.PATH ?? '', ADMIN_TOKEN: adminToken, ...env })

export const start = (t: Test, args: string[], env: Env = {}) =>
  watch(t, spawn(process.execPath, [bin, ...args], { env: environment(env) }))

/** Whether a terminal can be played: util-linux has a command for it. */
export const hasTerminal = /util-linux/.test(
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '',
)

/** Runs at a terminal of its own; all that it says comes on stdout. */
export const startAtTerminal = (t: Test, args: string[], env: Env = {}) => {
  const command = [process.execPath, bin, ...args].map(quoted).join(' ')
  const term = { TERM: 'xterm', SHELL: '/bin/sh' }
  return watch(t, spawn('script', ['-qefc', command, '/dev/null'], { env: environment({ ...term, ...env }) }))
}

/** What a command printed with --json. */
export const jsonLines = <T = Record<string, unknown>>(stdout: string): T[] =>
  stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as T)

/** Runs a line of the shell; `reprise` in it is ours. */
export const shell = async (line: string, env: Env = {}) => {
  const script = `reprise() { ${quoted(process.execPath)} ${quoted(bin)} "$@"; }; ${line}`
  const child = spawn('sh', ['-c', script], { env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => (said.stdout += chunk))
  child.stderr.on('data', chunk => (said.stderr += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...said }
}

/**
 * Runs a command that ends by itself in this process, which has the modules of the commands already. `env`: the variables of the
 * command. What the command itself says of its errors and codes is tested with processes.
 */
export const runHere = async (args: string[], env: Env = {}) => {
  const said = { stdout: '', stderr: '' }
  const { env: before } = process
  const streams = (['stdout', 'stderr'] as const).map(name => [name, process[name].write] as const)
  for (const [name] of streams)
    process[name].write = ((text: string, done?: () => void) => {
      said[name] += text
      done?.()
      return true
    }) as typeof process.stdout.write
  process.env = { PATH: before.PATH, ...env }
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return { code: Number(process.exitCode ?? 0), ...said }
  } catch (error) {
    const code = exitCodeOf(error)
    if (code === undefined) throw error
    return { code, ...said, stderr: `${said.stderr}reprise: ${(error as Error).message}\n` }
  } finally {
    for (const [name, write] of streams) process[name].write = write
    process.env = before
    process.exitCode = undefined
  }
}
