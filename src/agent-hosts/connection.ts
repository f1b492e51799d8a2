// The conversation with one host over any transport: its hello, then its leases. A message that does not fit ends its
// lease. When it names no lease, it ends the conversation, and with it all leases.
import { type HostHello, longestToHost } from '../contract/agent-protocol.ts'
import type { EntryResult, LeaseEnd, LeaseListener } from '../contract/code-agent.ts'
import { withoutValues } from '../contract/variables.ts'
import { Unfit } from '../platform/programs/lines.ts'
import { createLeaseState, Flooded, type Held } from './lease.ts'
import { isObject, leaseAtBegin, readHello, readHostMessage, readMessage, turnOf } from './messages.ts'
import { partsOf } from './parts.ts'

/** Reading pauses while more than this many bytes are not stored. */
const pauseAt = 1 << 20
/** A message of a host about its failure has at most this many characters, and so has what is wrong with a message. */
const longestReason = 500
/** The values of this many leases that have ended are still secrets. */
const keptSecrets = 16

/** What became of the names in a hello. */
export type Welcome = { agents: string[]; refused: { name: string; reason: string }[] }

type Deps = {
  /** Sends one message. */
  send(text: string): void
  /** Stops or resumes the reading of messages. */
  pause(): void
  resume(): void
  /** Judges the hello. When all names are refused, the conversation ends. */
  hello(hello: HostHello): Welcome
  /** Called once: the conversation cannot go on. Its leases are over by then. */
  broken(end: LeaseEnd): void
  /** Called when the host says that it cannot run its agent. */
  failed?(message: string): void
  pong?(): void
  /** Called when the host has to stop: it must get no new leases. */
  stopping(): void
  /** Called when a lease has ended while the conversation goes on. */
  freed(): void
  /** Called when the number of leases that are not heard yet is smaller. */
  heard(): void
  /** A lease that has lived for so many looks counts as heard. A host that stands still has ended by then. */
  looksUntilHeard: number
}

/** A lease of a host. */
export type HeldLease = {
  results(results: EntryResult[]): void
  run(n: number): void
  stop(reason: string): void
}
export type Connection = {
  /** Takes the bytes of one message. */
  hear(bytes: Buffer): void
  /** Gives the host a lease. `version`: the one of the agent in this host. */
  begin(listener: LeaseListener, version: string): HeldLease
  ping(): void
  /** The number of leases. */
  leases(): number
  /** The number of leases in which the host has said nothing since their begin. */
  unheard(): number
  /** Time passes. To be called every second or so. */
  look(): void
  /** Texts that must not appear in the log of the server. */
  secrets(): string[]
  /** From now on, each lease that only waits ends, so that its task begins on another host. */
  moveAway(why: string): void
  /** Ends the conversation and its leases. `isQuiet`: their tasks hear nothing of it. */
  end(end: LeaseEnd, isQuiet?: boolean): void
}

/** Why a text cannot be sent to a host; undefined: it can. `what`: what the text has. */
const problemOf = (text: string, what: string): string | undefined => {
  const bytes = Buffer.byteLength(text)
  return bytes <= longestToHost
    ? undefined
    : `${what} ${bytes} bytes of JSON, and a host gets at most ${longestToHost} at once: store such data elsewhere, and pass its name`
}

export const createConnection = (deps: Deps): Connection => {
  const leases = new Map<string, Held>()
  /** Those in which the host has said nothing yet, each with the number of looks at it. */
  const unheard = new Map<Held, number>()
  let ended: string[][] = []
  let hasSaidHello = false
  let isOver = false
  let unstored = 0
  let isPaused = false
  let leaving: string | undefined

  const secretsNow = () => [...ended, ...[...leases.values()].map(({ secrets }) => secrets)].flat()
  const sendText = (text: string) => {
    for (const part of partsOf(text)) deps.send(part)
  }
  const send = (message: object) => sendText(JSON.stringify(message))
  /** Pauses or resumes reading, by the bytes that are not stored. */
  const count = (bytes: number) => {
    unstored += bytes
    if (isOver || unstored > pauseAt === isPaused) return
    isPaused = !isPaused
    if (isPaused) deps.pause()
    else deps.resume()
  }
  const remove = (lease: Held): boolean => {
    if (!leases.delete(lease.id)) return false
    unheard.delete(lease)
    count(-lease.unstored())
    if (lease.secrets.length > 0) ended = [...ended, lease.secrets].slice(-keptSecrets)
    return true
  }
  const heard = (lease: Held) => {
    if (unheard.delete(lease)) deps.heard()
  }
  /** `isExplained`: it is known which lease has ended the conversation, and it is none of those that are left. */
  const end = (why: LeaseEnd, isQuiet = false, isExplained = false) => {
    if (isOver) return
    isOver = true
    const silence = unheard.size === 1 ? ('alone' as const) : ('together' as const)
    const all = [...leases.values()]
    leases.clear()
    deps.broken(why)
    if (isQuiet) return
    for (const lease of all) {
      const isInnocent = why.why === 'died' && lease.isIdle()
      const isSuspect = why.why !== 'released' && !isExplained && unheard.has(lease)
      lease.listener.over({
        ...why,
        ...(isInnocent && { why: 'lost' }),
        ...(isSuspect && { unheard: silence }),
      })
    }
  }
  /** A message did not fit. `lease`: the lease that it names; undefined: it names none. */
  const unfit = (what: string, lease: string | undefined) => {
    const said = `the host does not speak the protocol: it sent ${withoutValues(what, secretsNow())}`
    const message = said.slice(0, longestReason)
    if (lease === undefined || !hasSaidHello) return end({ why: 'died', message })
    const held = leases.get(lease) // undefined: it has ended; the host may not know it yet
    if (held !== undefined) giveUp(held, { why: 'died', message }, 'unfit')
  }
  /** Ends one lease, while the conversation goes on. */
  const giveUp = (lease: Held, why: LeaseEnd, reason: string) => {
    if (!remove(lease)) return
    send({ type: 'stop', lease: lease.id, reason, message: why.message })
    lease.listener.over(why)
    deps.freed()
  }
  /** Only the task of this lease has flooded the connection. */
  const flooded = (lease: Held, { message }: Flooded) => {
    remove(lease)
    end({ why: 'lost', message: `the connection was cut: ${message}` }, false, true)
    lease.listener.over({ why: 'flooded', message })
  }

  /** Ends a lease that only waits, if the host has to give its leases away. */
  const moveIfIdle = (lease: Held) => {
    if (leaving === undefined || !lease.isIdle() || !remove(lease)) return
    send({ type: 'stop', lease: lease.id, reason: 'moved' })
    lease.listener.over({ why: 'released', message: leaving })
    deps.freed()
  }

  const takeTurn = (lease: Held, given: Parameters<typeof turnOf>[0], bytes: number) => {
    const turn = lease.take(turnOf(given), bytes)
    if (turn === undefined) return
    count(bytes)
    const stored = () => {
      lease.stored(turn, bytes)
      if (leases.has(lease.id)) count(-bytes)
    }
    Promise.resolve(lease.listener.turn(turn)).then(stored, stored)
    moveIfIdle(lease)
  }

  const answer = async (lease: Held, id: string | number, what: string) => {
    if (!leases.has(lease.id)) return
    const about = { type: 'answer', lease: lease.id, id }
    const said =
      what === 'history'
        ? await lease.listener.history().then(
            value => ({ value }),
            (error: Error) => ({ error: { message: error.message } }),
          )
        : { error: { message: `there is nothing to ask for by the name ${what.slice(0, 40)}` } }
    if (!leases.has(lease.id)) return
    const text = JSON.stringify({ ...about, ...said })
    const problem = problemOf(text, 'the history has')
    if (problem === undefined) sendText(text)
    else send({ ...about, error: { message: problem } })
  }

  const takeHello = (given: Record<string, unknown>, bytes: number) => {
    const hello = readHello(given, bytes)
    hasSaidHello = true
    const { agents, refused } = deps.hello(hello)
    send({ type: 'welcome', agents, refused })
    if (agents.length > 0) return
    const reasons = refused.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
    end({ why: 'lost', message: `the server refused all agents of the host (${reasons.slice(0, 500)})` })
  }

  const take = (given: unknown, bytes: number) => {
    if (!isObject(given)) throw new Unfit('a message that is no object')
    if (given.type === 'hello') {
      if (hasSaidHello) throw new Unfit('hello a second time')
      return takeHello(given, bytes)
    }
    const message = readHostMessage(given)
    if (message?.type === 'failed') {
      const why = withoutValues(message.fields.message, secretsNow()).slice(0, longestReason)
      deps.failed?.(why)
      return end({ why: 'died', message: `the host failed: ${why}` })
    }
    if (!hasSaidHello) throw new Unfit('something before its hello')
    if (message === undefined) return
    if (message.type === 'pong') return deps.pong?.()
    if (message.type === 'stopping') return deps.stopping()
    const lease = leases.get(message.fields.lease)
    if (lease === undefined) return // it has ended; the host may not know it yet
    heard(lease)
    try {
      if (message.type === 'turn') return takeTurn(lease, message.fields, bytes)
      if (message.type === 'ask') {
        const { id, what } = message.fields
        return lease.asked(() => answer(lease, id, what))
      }
    } catch (error) {
      if (!(error instanceof Flooded)) throw error
      return flooded(lease, error)
    }
    if (remove(lease)) {
      lease.listener.over({ why: 'released', message: message.fields.reason ?? 'the host gave it back' })
      deps.freed()
    }
  }

  return {
    hear(bytes) {
      if (isOver) return
      let lease: string | undefined
      try {
        lease = leaseAtBegin(bytes)
        const message = readMessage(bytes)
        if (isObject(message)) lease = typeof message.lease === 'string' ? message.lease : undefined
        take(message, bytes.length)
      } catch (error) {
        if (!(error instanceof Unfit)) throw error
        unfit(error.message, lease)
      }
    },
    begin(listener, version) {
      const { user: _user, ...begin } = listener.begin()
      const lease = createLeaseState(listener, begin.entries, begin.results, begin.vars)
      leases.set(lease.id, lease)
      unheard.set(lease, 0)
      const text = JSON.stringify({ type: 'begin', lease: lease.id, ...begin, version })
      const problem = problemOf(text, 'the input and the journal of the task have')
      if (problem === undefined) {
        sendText(text)
        listener.began(version)
      } else {
        leases.delete(lease.id)
        unheard.delete(lease)
        listener.over({ why: 'unfit', message: problem })
      }
      return {
        results(given) {
          if (!leases.has(lease.id) || given.length === 0) return
          const text = JSON.stringify({ type: 'results', lease: lease.id, results: given })
          const problem = problemOf(text, 'the results of the task have')
          if (problem !== undefined) return giveUp(lease, { why: 'unfit', message: problem }, 'unfit')
          lease.gave(given)
          sendText(text)
        },
        run(n) {
          if (leases.has(lease.id)) send({ type: 'run', lease: lease.id, n })
        },
        stop(reason) {
          if (!remove(lease)) return
          send({ type: 'stop', lease: lease.id, reason })
          deps.freed()
        },
      }
    },
    ping: () => send({ type: 'ping' }),
    leases: () => leases.size,
    unheard: () => unheard.size,
    look() {
      for (const [lease, looks] of [...unheard])
        if (looks < deps.looksUntilHeard) unheard.set(lease, looks + 1)
        else heard(lease)
    },
    secrets: secretsNow,
    moveAway(why) {
      leaving ??= why
      for (const lease of [...leases.values()]) moveIfIdle(lease)
    },
    end: (why, isQuiet) => end(why, isQuiet),
  }
}
