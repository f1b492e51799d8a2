// A host that the server has started: one process for one file, with which it talks over standard input and output.
import type { HostHello } from '../contract/agent-protocol.ts'
import type { Clock, Report } from '../contract/ports.ts'
import type { UserId } from '../contract/user-id.ts'
import { withoutValues } from '../contract/variables.ts'
import type { Command } from '../platform/children/children.ts'
import { deferred } from '../platform/deferred.ts'
import { createLines, Unfit } from '../platform/programs/lines.ts'
import { type ProgramDeps, startProgram } from '../platform/programs/program.ts'
import { type Connection, createConnection } from './connection.ts'
import { createErrorLines } from './error-lines.ts'

/** A host must send its hello within this many milliseconds after its start. */
const startLimitMs = 20_000
/** The pings that fit into the time in which a host must answer one. */
const ticksPerStall = 4
/** The greatest length of a reason, in characters. */
const longestReason = 500

/** Thrown when a file cannot be run. The message says why. */
export class CannotLoad extends Error {}

export type StartDeps = Omit<ProgramDeps, 'memoryMb'> & {
  clock: Clock
  report: Report
  memoryMb: number
  /** Milliseconds after which a host that does not answer a ping is ended. */
  stallMs: number
}
export type StartedHost = {
  agent: HostHello['agents'][number]
  slots: number | undefined
  connection: Connection
  /** Ends the process. Its tasks hear nothing of it. */
  end(): Promise<void>
}
type Given = {
  command: Command & { user: UserId | undefined }
  /** The name of the agent. */
  name: string
  /** Called once when the host can take no more leases. Its leases are over afterwards. */
  gone(why: string): void
  freed(): void
  heard(): void
  /** Called when the host has to stop, and takes no new leases. */
  stopping(): void
}

/** A text of a host as a reason: one line, without the values of callers' variables. */
const shown = (text: string, secrets: readonly string[]): string =>
  withoutValues(text, secrets)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, longestReason)

/** Rejects with CannotLoad when the process cannot be started, or ends before its hello. */
export const startHost = async (
  { command, name, gone, freed, heard, stopping }: Given,
  { clock, report, stallMs, ...deps }: StartDeps,
): Promise<StartedHost> => {
  const { timers } = deps
  const hears = deferred<HostHello>()
  hears.promise.catch(() => {}) // it may fail before anybody waits for it
  let stop = () => {}
  /** Ticks since the ping that the host has not answered. */
  let silent = 0
  let isPaused = false

  const program = await startProgram(command, deps, 'the host of the agent').catch(
    (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT'
      throw new CannotLoad(
        isMissing
          ? `${command.command} was not found on PATH`
          : `its host cannot be started: ${error.message}`,
      )
    },
  )
  const connection = createConnection({
    send: program.send,
    pause() {
      isPaused = true
      program.pause()
    },
    resume() {
      isPaused = false
      program.resume()
    },
    hello(hello) {
      hears.resolve(hello)
      return { agents: [name], refused: [] }
    },
    pong() {
      silent = 0
    },
    failed: message => hears.reject(new CannotLoad(shown(message, connection.secrets()))),
    broken({ message }) {
      stop()
      program.kill(message)
      hears.reject(new CannotLoad(shown(message, connection.secrets())))
      gone(shown(message, connection.secrets()))
    },
    stopping,
    freed,
    heard,
    looksUntilHeard: 2 * ticksPerStall,
  })
  const lines = createLines(line => connection.hear(Buffer.from(line)))
  const errors = createErrorLines({
    clock,
    secrets: connection.secrets,
    write: line => report('warn', 'an agent wrote to standard error', { agent: name, line }),
  })
  program.listen({
    hear(chunk) {
      try {
        lines(chunk)
      } catch (error) {
        if (!(error instanceof Unfit)) throw error
        const message = `the host does not speak the protocol: it sent ${error.message}`
        connection.end({ why: 'died', message })
      }
    },
    hearErrors: errors,
    ended: why => connection.end({ why: 'died', message: shown(why, connection.secrets()) }),
  })

  const cancelStart = timers.after(startLimitMs, () =>
    connection.end({ why: 'died', message: `it did not say hello in ${startLimitMs / 1000} s` }),
  )
  const hello = await hears.promise.finally(cancelStart)
  const [agent, ...others] = hello.agents
  if (agent === undefined || others.length > 0) {
    await program.end('its host serves more than one agent')
    throw new CannotLoad('its host serves more than one agent: a file is one agent')
  }
  // Counts ticks and not time: when the server itself stood still, the answer may be waiting for it.
  stop = timers.every(Math.max(1, stallMs / ticksPerStall), () => {
    connection.look()
    if (isPaused)
      silent = 0 // its answer is not read
    else if (silent >= ticksPerStall)
      return connection.end({
        why: 'died',
        message: `the host stood still: it did not answer for ${stallMs / 1000} s (AGENT_STALL_MS)`,
      })
    else if (silent++ === 0) connection.ping()
  })
  if (program.over() !== undefined) stop()
  return {
    agent,
    slots: hello.slots,
    connection,
    async end() {
      connection.end({ why: 'released', message: 'the host was ended' }, true)
      await program.end('the host was ended')
    },
  }
}
