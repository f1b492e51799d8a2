// A real server on a free port: in this process, or as a process of its own that can be killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/main.ts'

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
  (url: string): Api =>
  (method, where, body, headers = {}) =>
    fetch(`${url}/v1${where}`, {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

/** Serves from this process until the test ends. */
export const serveHere = async (t: Test, env: Env = {}) => {
  const dataDir = env.DATA_DIR ?? t.testdir()
  const lines: { level: string; message: string; fields: unknown }[] = []
  const config = readConfig({
    PORT: '0',
    ADMIN_TOKEN: adminToken,
    DRAIN_SECONDS: '1',
    ...env,
    DATA_DIR: dataDir,
  })
  const server = await startServer(config, (level, message, fields) => lines.push({ level, message, fields }))
  t.teardown(() => server.stop())
  return { ...server, dataDir, lines, api: apiOf(server.url) }
}

const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')

/** Starts `reprise serve` as a process; resolves when it answers. */
export const spawnServer = async (t: Test, dataDir: string, env: Env = {}) => {
  rmSync(path.join(dataDir, 'server.json'), { force: true })
  const child: ChildProcess = spawn(process.execPath, [bin, 'serve'], {
    env: { PATH: process.env.PATH, PORT: '0', ADMIN_TOKEN: adminToken, ...env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout?.on('data', chunk => (output += chunk))
  child.stderr?.on('data', chunk => (output += chunk))
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  t.teardown(() => child.kill('SIGKILL'))
  for (let waited = 0; !output.includes('Try it:'); waited += 20) {
    if (child.exitCode !== null || waited > 20_000) throw new Error(`the server did not start: ${output}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  const { url } = JSON.parse(readFileSync(path.join(dataDir, 'server.json'), 'utf8')) as { url: string }
  return {
    url,
    pid: child.pid ?? 0,
    api: apiOf(url),
    output: () => output,
    exited,
    /** Sends a signal and waits for the end: [exit code, signal]. */
    async end(signal: NodeJS.Signals) {
      child.kill(signal)
      return exited
    },
  }
}
