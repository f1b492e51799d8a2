// A server process that the demo can kill and start again on the same folder.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { CannotStart } from '../../contract/cannot-start.ts'
import { filesOf, readServerFile } from '../../platform/files/data-folder.ts'

/** The server must listen within this many milliseconds. */
const patienceMs = 20_000
/** Milliseconds between two checks whether the server listens. */
const lookMs = 10

export type ServerProcess = {
  url: string
  pid: number
  /** Milliseconds from the start of the process until it listened. */
  ms: number
  kill(): void
  /** Asks the process to end, and waits for its end. */
  stop(): Promise<void>
}

/**
 * Starts a server. `env`: all environment variables of its process. When this process ends, the server is killed.
 * Rejects with CannotStart.
 */
export const startServerProcess = async (env: Record<string, string>): Promise<ServerProcess> => {
  const began = performance.now()
  const command = [...process.execArgv, process.argv[1] ?? '', 'serve']
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const kill = () => void child.kill('SIGKILL')
  process.prependOnceListener('exit', kill)
  let said = ''
  child.stderr.on('data', chunk => {
    said += chunk
  })
  const ended = once(child, 'exit').then(() => process.off('exit', kill))

  const { server } = filesOf(env.DATA_DIR ?? '')
  for (;;) {
    const there = readServerFile(server)
    if (there !== undefined && there.pid === child.pid) {
      const stop = async () => {
        child.kill('SIGTERM')
        await ended
      }
      return { ...there, ms: performance.now() - began, kill, stop }
    }
    if (child.exitCode !== null || child.signalCode !== null || performance.now() - began > patienceMs) {
      kill()
      await ended
      throw new CannotStart(`the server of the demo did not start: ${said.trim().split('\n').at(-1)}`)
    }
    await sleep(lookMs)
  }
}
