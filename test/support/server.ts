// A real server on a free port, in this process or in a process of its own that a test can kill, and the commands of
// reprise.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import type { Report } from '../../src/contract/ports.ts'
import './built.ts'

export const adminToken = 'test-admin-token'
type Env = Record<string, string>

export type Api = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>

/** A function that sends requests below /v1, with the admin token unless `headers` has another. */
export const apiOf =
  (url: string, token = adminToken): Api =>
  (method, where, body, headers = {}) =>
    fetch(`${url}/v1${where}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

/** Lets modules of tests run as the user who runs the tests, since they write into folders of that user. */
const asOurselves = ({ ENV_PATH }: Env): Env => (ENV_PATH === undefined ? {} : { ENV_UID_BASE: '0' })

/** Whether a line only says that a request took long, as on a busy machine any request may. */
const isSlowness = (level: string, message: string, fields: unknown): boolean =>
  level === 'warn' && message === 'request' && Number((fields as { status?: unknown }).status) < 500

/** What a server in this process consists of. It is loaded when it is needed: most test files only start processes. */
const loadServer = async () => ({
  ...(await import('../../src/config.ts')),
  ...(await import('../../src/start/server.ts')),
  ...(await import('./store.ts')),
})

// Each server in this process kills its children at the exit of the process, and a file of tests may start many servers.
process.setMaxListeners(100)

/** Starts a server in this process. It stops when the test ends. */
export const serveHere = async (t: Test, env: Env = {}) => {
  const { readConfig, startServer, storesIn } = await loadServer()
  // The data folder is not tap's folder for the test, which may be removed while the server still writes.
  const own = env.DATA_DIR === undefined ? mkdtempSync(path.join(tmpdir(), 'reprise-test-')) : undefined
  const dataDir = env.DATA_DIR ?? own ?? ''
  const lines: { level: string; message: string; fields: unknown }[] = []
  const config = readConfig({
    PORT: '0',
    ADMIN_TOKEN: adminToken,
    DRAIN_SECONDS: '0',
    ...asOurselves(env),
    ...env,
    DATA_DIR: dataDir,
  })
  const report: Report = (level, message, fields) => {
    if (!isSlowness(level, message, fields)) lines.push({ level, message, fields })
  }
  const server = await startServer(config, report, await storesIn(config, report))
  t.teardown(async () => {
    await server.stop()
    if (own !== undefined) rmSync(own, { recursive: true, force: true })
  })
  return { ...server, dataDir, lines, api: apiOf(server.url) }
}

const root = path.resolve(import.meta.dirname, '../..')
const bin = path.join(root, 'bin/reprise.mjs')

// In whatever way the tests end, no server is left running.
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * How a process is started. `uid`, `gid`: its user; absent: that of this process. Only root may choose another one.
 * `through`: a program that starts it, with its arguments.
 */
export type As = { uid?: number; gid?: number; through?: string[] }

/** Starts a process of reprise. Of the variables of this process, it gets only PATH. */
const reprise = (args: string[], env: Env, { through = [], ...user }: As = {}) => {
  const [command = '', ...all] = [...through, process.execPath, bin, ...args]
  const child: ChildProcess = spawn(command, all, {
    ...user,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', chunk => (stdout += chunk))
  child.stderr?.on('data', chunk => (stderr += chunk))
  // 'close' comes after 'exit', when all output of the process has been read.
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  return { child, exited, stdout: () => stdout, stderr: () => stderr }
}

/** Milliseconds for a start or a command. They take less than a second, except on a machine that is very busy. */
const patienceMs = 90_000

/** Runs a command of reprise to its end. A command that does not end is killed, and has no exit code. */
export const runReprise = async (args: string[], env: Env = {}, as: As = {}) => {
  const { child, exited, stdout, stderr } = reprise(args, env, as)
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const [code] = await exited
  clearTimeout(timer)
  return { code, stdout: stdout(), stderr: stderr() }
}

/** The environment variables of a server process: a free port, and the admin token of the tests. */
const serving = (dataDir: string, env: Env): Env => ({
  PORT: '0',
  ADMIN_TOKEN: adminToken,
  ...asOurselves(env),
  ...env,
  DATA_DIR: dataDir,
})

/** Runs `reprise serve` when it is expected to refuse to start. */
export const refusedStart = (dataDir: string, env: Env = {}, as: As = {}) =>
  runReprise(['serve'], serving(dataDir, env), as)

/** Starts `reprise serve` and kills it after `ms` milliseconds, whether it has started by then or not. */
export const killedStart = async (dataDir: string, ms: number, env: Env = {}): Promise<void> => {
  const { child, exited } = reprise(['serve'], serving(dataDir, env))
  await new Promise(resolve => setTimeout(resolve, ms))
  child.kill('SIGKILL')
  await exited
}

type Launch = As & { ms?: number; signal?: NodeJS.Signals }
/**
 * Starts `reprise serve` as a process. Resolves when the server answers. The caller must end it. Rejects, and the process
 * has ended, when it does not answer within `ms` milliseconds: then it gets the signal.
 */
export const launch = async (
  dataDir: string,
  env: Env = {},
  options: string[] = [],
  { ms = patienceMs, signal = 'SIGKILL', ...as }: Launch = {},
) => {
  rmSync(path.join(dataDir, 'server.json'), { force: true })
  const started = performance.now()
  const { child, exited, stdout, stderr } = reprise(['serve', ...options], serving(dataDir, env), as)
  while (!/^curl .*\n/m.test(stdout())) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() - started > ms) {
      child.kill(signal)
      await exited
      throw new Error(`the server did not start: ${stdout()}${stderr()}`)
    }
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  const { url } = JSON.parse(readFileSync(path.join(dataDir, 'server.json'), 'utf8')) as { url: string }
  return {
    url,
    pid: child.pid ?? 0,
    api: apiOf(url),
    stdout,
    stderr,
    output: () => stdout() + stderr(),
    exited,
    /** Sends a signal. */
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Sends a signal and waits for the end of the process. Resolves to [exit code, signal]. */
    async end(signal: NodeJS.Signals) {
      child.kill(signal)
      return exited
    },
  }
}
export type ServerProcess = Awaited<ReturnType<typeof launch>>

/** Like `launch`; the process is killed when the test ends. */
export const spawnServer = async (
  t: Test,
  dataDir: string,
  env: Env = {},
  options: string[] = [],
  as: As = {},
): Promise<ServerProcess> => {
  const server = await launch(dataDir, env, options, as)
  t.teardown(() => server.end('SIGKILL'))
  return server
}
