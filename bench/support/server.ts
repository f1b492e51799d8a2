// Starts the servers that are measured, ours and the baselines, each as a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { freePort } from '../../src/platform/free-port.ts'
import { nodeOptions, startVariables } from './npm-start.ts'

export const adminToken = 'bench-admin-token'

export type Server = {
  url: string
  pid: number
  /** Milliseconds from the start of the process to the first 200 from /readyz. */
  readyAfter: number
  stop(): Promise<void>
}

const isReady = async (url: string): Promise<boolean> => {
  try {
    const answer = await fetch(`${url}/readyz`)
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}

const givenUpMs = 600_000

// The baselines get the variables and the options of Node that `npm start` sets, too.
const start = async (args: string[], env: Record<string, string>): Promise<Server> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const began = performance.now()
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...startVariables, PORT: String(port), ADMIN_TOKEN: adminToken, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr?.on('data', chunk => {
    said += chunk
  })
  const exited = once(child, 'exit')
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() - began > givenUpMs) {
      throw new Error(`${args.at(-1)} did not start: ${said}`)
    }
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  return {
    url,
    pid: child.pid ?? 0,
    readyAfter: performance.now() - began,
    async stop() {
      child.kill('SIGTERM')
      await exited
      process.off('exit', kill)
    },
  }
}

const here = path.resolve(import.meta.dirname, '..')

/** Starts `reprise serve` on a data folder. `nodeArgs`: further options of Node. */
export const startOurs = (
  dataDir: string,
  nodeArgs: string[] = [],
  env: Record<string, string> = {},
): Promise<Server> =>
  start([...nodeOptions, ...nodeArgs, path.resolve(here, '../bin/reprise.mjs'), 'serve'], {
    DATA_DIR: dataDir,
    DRAIN_SECONDS: '0',
    ...env,
  })

/** Starts the cheapest possible endpoint of a model. */
export const startModelEndpoint = (): Promise<Server> =>
  start([path.join(here, 'baselines/model-endpoint.ts')], {})

/** Starts the cheapest possible fan-out of events. `nodeArgs`: further options of Node. */
export const startBareEvents = (nodeArgs: string[] = []): Promise<Server> =>
  start([...nodeOptions, ...nodeArgs, path.join(here, 'baselines/bare-events.ts')], {})

/** Starts the cheapest possible fan-out over WebSockets. `nodeArgs`: further options of Node. */
export const startBareSocket = (nodeArgs: string[] = []): Promise<Server> =>
  start([...nodeOptions, ...nodeArgs, path.join(here, 'baselines/bare-socket.ts')], {})

/** Starts our server with a second port, at which events can be appended. `nodeArgs`: further options of Node. */
export const startOurEvents = async (
  dataDir: string,
  nodeArgs: string[] = [],
): Promise<Server & { emitUrl: string }> => {
  const emitPort = await freePort()
  const args = [...nodeOptions, ...nodeArgs, path.join(here, 'baselines/our-events.ts')]
  const server = await start(args, { DATA_DIR: dataDir, EMIT_PORT: String(emitPort) })
  return { ...server, emitUrl: `http://127.0.0.1:${emitPort}` }
}

/** Starts the smallest durable server: it inserts one row for each request. */
export const startOneInsert = (dataDir: string): Promise<Server> =>
  start([...nodeOptions, path.join(here, 'baselines/one-insert.ts')], {
    DATA_DIR: dataDir,
  })

/**
 * Starts the smallest server with our promise: seven events and a row for each request (baselines/bare-promise.ts). `leftOut`:
 * work that it does not do.
 */
export const startBarePromise = (dataDir: string, leftOut = ''): Promise<Server> =>
  start([...nodeOptions, path.join(here, 'baselines/bare-promise.ts')], {
    DATA_DIR: dataDir,
    LEAVE_OUT: leftOut,
  })

/** Starts a server that takes steps of environments without a log (baselines/env-steps.ts). */
export const startEnvSteps = (dataDir: string): Promise<Server> =>
  start([...nodeOptions, path.join(here, 'baselines/env-steps.ts')], { DATA_DIR: dataDir })
