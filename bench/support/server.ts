// Servers under test, each a process of its own: ours, and the baselines.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { freePort } from './free-port.ts'

export const adminToken = 'bench-admin-token'

export type Server = {
  url: string
  pid: number
  /** From spawn to the first 200 of /readyz, milliseconds. */
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

const givenUpMs = 120_000

const start = async (args: string[], env: Record<string, string>): Promise<Server> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const began = performance.now()
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, PORT: String(port), ADMIN_TOKEN: adminToken, ...env },
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
/** As `npm start` has it; the baseline gets the same. */
const heap = ['--max-semi-space-size=64']

/** `reprise serve` on a data folder; `nodeArgs` go before it. */
export const startOurs = (
  dataDir: string,
  nodeArgs: string[] = [],
  env: Record<string, string> = {},
): Promise<Server> =>
  start([...heap, ...nodeArgs, path.resolve(here, '../bin/reprise.mjs'), 'serve'], {
    DATA_DIR: dataDir,
    DRAIN_SECONDS: '0',
    ...env,
  })

/** A model's endpoint that does as little as it can. */
export const startModelEndpoint = (): Promise<Server> =>
  start(['--import', 'tsx', path.join(here, 'baselines/model-endpoint.ts')], {})

/** A fan-out of events that does as little as it can. */
export const startBareEvents = (): Promise<Server> =>
  start([...heap, '--import', 'tsx', path.join(here, 'baselines/bare-events.ts')], {})

/** The same over WebSockets. */
export const startBareSocket = (): Promise<Server> =>
  start([...heap, '--import', 'tsx', path.join(here, 'baselines/bare-socket.ts')], {})

/** Ours, with a second door where events can be made. */
export const startOurEvents = async (dataDir: string): Promise<Server & { emitUrl: string }> => {
  const emitPort = await freePort()
  const args = [...heap, '--import', 'tsx', path.join(here, 'baselines/our-events.ts')]
  const server = await start(args, { DATA_DIR: dataDir, EMIT_PORT: String(emitPort) })
  return { ...server, emitUrl: `http://127.0.0.1:${emitPort}` }
}

/** The smallest durable server: one inserted row a request. */
export const startOneInsert = (dataDir: string): Promise<Server> =>
  start([...heap, '--import', 'tsx', path.join(here, 'baselines/one-insert.ts')], { DATA_DIR: dataDir })

/** Steps of environments without a log: see its file. */
export const startEnvSteps = (dataDir: string): Promise<Server> =>
  start([...heap, '--import', 'tsx', path.join(here, 'baselines/env-steps.ts')], { DATA_DIR: dataDir })
