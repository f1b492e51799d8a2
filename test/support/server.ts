// A real server on a free port: in this process, or as a process of its own that can be killed; and the command
// line beside it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/main.ts'
import './built.ts'

export const adminToken = 'test-admin-token'
type Env = Record<string, string>

export type Api = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>

/** Calls below /v1 with the admin token, unless headers say otherwise. */
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

/** Modules of tests write into folders of their test, which belong to whoever runs the tests. */
const asOurselves = ({ ENV_PATH }: Env): Env => (ENV_PATH === undefined ? {} : { ENV_UID_BASE: '0' })

/** Serves from this process until the test ends. */
export const serveHere = async (t: Test, env: Env = {}) => {
  // Not tap's own folder for the test, which may be removed while the server still writes.
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
  const server = await startServer(config, (level, message, fields) => lines.push({ level, message, fields }))
  t.teardown(async () => {
    await server.stop()
    if (own !== undefined) rmSync(own, { recursive: true, force: true })
  })
  return { ...server, dataDir, lines, api: apiOf(server.url) }
}

const root = path.resolve(import.meta.dirname, '../..')
const bin = path.join(root, 'bin/reprise.mjs')

// Whatever ends the tests, no server is left behind.
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A reprise process, running; nothing of our own environment reaches it but PATH. */
const reprise = (args: string[], env: Env) => {
  const child: ChildProcess = spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', chunk => (stdout += chunk))
  child.stderr?.on('data', chunk => (stderr += chunk))
  // 'close' rather than 'exit': by then everything that it said has been read.
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  return { child, exited, stdout: () => stdout, stderr: () => stderr }
}

/** Runs a reprise command to its end; one that does not end is killed, and has no exit code. */
export const runReprise = async (args: string[], env: Env = {}) => {
  const { child, exited, stdout, stderr } = reprise(args, env)
  const patience = setTimeout(() => child.kill('SIGKILL'), 20_000)
  const [code] = await exited
  clearTimeout(patience)
  return { code, stdout: stdout(), stderr: stderr() }
}

/** The environment of a server process: a free port, the tests' admin token. */
const serving = (dataDir: string, env: Env): Env => ({
  PORT: '0',
  ADMIN_TOKEN: adminToken,
  ...asOurselves(env),
  ...env,
  DATA_DIR: dataDir,
})

/** Runs `reprise serve` where it is expected to end by itself. */
export const refusedStart = (dataDir: string, env: Env = {}) => runReprise(['serve'], serving(dataDir, env))

/** Starts `reprise serve` and kills it after so many milliseconds, however far it has come. */
export const killedStart = async (dataDir: string, ms: number, env: Env = {}): Promise<void> => {
  const { child, exited } = reprise(['serve'], serving(dataDir, env))
  await new Promise(resolve => setTimeout(resolve, ms))
  child.kill('SIGKILL')
  await exited
}

/** Starts `reprise serve` as a process; resolves when it answers. Whoever launches it ends it. */
export const launch = async (dataDir: string, env: Env = {}, options: string[] = []) => {
  rmSync(path.join(dataDir, 'server.json'), { force: true })
  const started = performance.now()
  const { child, exited, stdout, stderr } = reprise(['serve', ...options], serving(dataDir, env))
  while (!/^curl .*\n/m.test(stdout())) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() - started > 20_000) {
      child.kill('SIGKILL')
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
    /** Sends a signal and waits for the end: [exit code, signal]. */
    async end(signal: NodeJS.Signals) {
      child.kill(signal)
      return exited
    },
  }
}
export type ServerProcess = Awaited<ReturnType<typeof launch>>

/** As `launch`, killed when the test ends. */
export const spawnServer = async (
  t: Test,
  dataDir: string,
  env: Env = {},
  options: string[] = [],
): Promise<ServerProcess> => {
  const server = await launch(dataDir, env, options)
  t.teardown(() => server.end('SIGKILL'))
  return server
}
