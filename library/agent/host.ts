// The host's side of the protocol (docs/agent-protocol.md), over any connection: it takes messages, runs the agents, and sends
// messages.
import type { Begin, EntryResult } from '../../src/contract/code-agent.ts'
import { contextOf } from './context.ts'
import type { Definition } from './definition.ts'
import { createJournal, type Patience } from './journal.ts'
import type { Journal } from './journal-port.ts'
import { drainMs, longestHello } from './limits.ts'
import { drawingOf } from './machine/drawing.ts'
import { interpret } from './machine/interpret.ts'

export const protocolVersion = 1

type Incoming = { type: string; lease: string } & Partial<
  Begin & {
    n: number
    results: EntryResult[]
    reason: string
    message: string
    value: unknown
    error: { message?: string }
    text: string
    last: boolean
  }
>

export type HostDeps = {
  agents: ReadonlyMap<string, Definition>
  /** Sends one message, which is JSON. */
  send(text: string): void
  /** Whether the connection can take more now. */
  hasRoom(): boolean
  /** Tells the author something, in one line. */
  warn(line: string): void
  /** Called with the answer to the hello. */
  welcome?(answer: Welcome): void
  patience?: Patience
}
export type Welcome = { agents: string[]; refused?: { name: string; reason: string }[] }
export type Greeting = { name?: string; slots?: number; version?: string }

/** Waits for work at most 10 s. */
const waitFor = async (work: Promise<unknown>[]): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise(resolve => {
    timer = setTimeout(resolve, drainMs)
  })
  await Promise.race([Promise.all(work), limit])
  clearTimeout(timer)
}

export const createAgentHost = ({ agents, send, hasRoom, warn, welcome, patience }: HostDeps) => {
  const leases = new Map<string, Journal>()
  let isStopping = false
  /** The parts of a long message that have come so far. */
  let parts: string[] = []

  const release = (lease: string, reason = 'the host stops') =>
    send(JSON.stringify({ type: 'release', lease, reason }))

  const begin = (message: Incoming & Begin) => {
    const { lease, agent } = message
    const definition = agents.get(agent)
    if (definition === undefined) return release(lease, `this host has no agent ${agent}`)
    if (isStopping) return release(lease)
    const ended = () => void leases.delete(lease)
    const journal = createJournal({ lease, begin: message, send, hasRoom, warn, ended, patience })
    leases.set(lease, journal)
    const ctx = contextOf(journal, message)
    journal.start(
      definition.kind === 'function'
        ? () => definition.main(ctx)
        : () => interpret(definition.chart, definition.runs, ctx, journal.moved),
    )
  }

  /** What still runs of the leases. */
  const stopAll = (reason: string): Promise<unknown>[] => {
    const ending = [...leases.values()].map(journal => journal.stop(new Error(reason)))
    leases.clear()
    parts = []
    return ending
  }

  /** Gives a lease back when its runs are done. */
  const giveBack = async (lease: string, journal: Journal) => {
    await journal.drain()
    if (!leases.delete(lease)) return // it has ended meanwhile
    release(lease)
    void journal.stop(new Error('this process stops'))
  }

  const host = {
    /** The first message of a connection. Throws when it is too long. */
    hello({ name, slots, version }: Greeting = {}): string {
      const hello = JSON.stringify({
        type: 'hello',
        protocol: protocolVersion,
        name,
        slots,
        agents: [...agents].map(([agent, definition]) => ({
          name: agent,
          kind: definition.kind,
          description: definition.description,
          parameters: definition.parameters,
          version: definition.version ?? version,
          task_support: definition.task_support,
          ...(definition.kind === 'machine' ? { machine: drawingOf(definition.chart) } : {}),
        })),
      })
      const bytes = Buffer.byteLength(hello)
      if (bytes <= longestHello) return hello
      throw new TypeError(
        `the agents have ${bytes} bytes of descriptions, parameters and charts, more than ${longestHello}: shorten them, or serve them by several workers`,
      )
    },
    /** Takes one message of the server. Unknown messages are skipped, and so are messages of leases that have ended. */
    take(message: unknown): void {
      const told = message as Incoming
      const journal = leases.get(told.lease)
      switch (told.type) {
        case 'part':
          parts.push(told.text ?? '')
          if (told.last !== true) break
          host.take(JSON.parse(parts.splice(0).join('')))
          break
        case 'welcome':
          welcome?.(message as Welcome)
          break
        case 'begin':
          begin(told as Incoming & Begin)
          break
        case 'results':
          journal?.take(told.results ?? [])
          break
        case 'run':
          journal?.takeRun(told.n ?? 0)
          break
        case 'answer':
          journal?.takeHistory(told)
          break
        case 'stop':
          leases.delete(told.lease)
          if (told.message !== undefined) warn(`the server has ended a lease: ${told.message}`)
          void journal?.stop(new Error(`the server has ended the lease: ${told.reason}`))
          break
        case 'ping':
          send('{"type":"pong"}')
      }
    },
    /** The connection can take more. */
    resume(): void {
      for (const journal of leases.values()) journal.resume()
    },
    /** The connection is lost, and the leases with it. Resolves when their functions of `ctx.run` have ended, or after 10 s. */
    lost: (): Promise<void> => waitFor(stopAll('the connection to the server was lost')),
    /** Hands each lease back when its functions of `ctx.run` are done, and all of them after 10 s. */
    async stop(): Promise<void> {
      if (isStopping) return
      isStopping = true
      send('{"type":"stopping"}')
      await waitFor([...leases].map(([lease, journal]) => giveBack(lease, journal)))
      for (const lease of leases.keys()) release(lease)
      void stopAll('this process stops')
    },
  }
  return host
}
export type AgentHost = ReturnType<typeof createAgentHost>
