// One file of AGENT_PATH and its host: started when the file is there, again after it has ended, and anew when the file
// has changed. A new host takes over from the old one only when it has said hello, so a broken file replaces nothing.
import path from 'node:path'
import { usualSlots } from '../contract/agent-protocol.ts'
import type { UserId } from '../contract/user-id.ts'
import type { Command } from '../platform/children/children.ts'
import { type AgentFile, versionOfFile } from './folder.ts'
import { type Host, newHostId, type Roster, type Served, servedBy } from './roster.ts'
import { CannotLoad, type StartDeps, type StartedHost, startHost } from './started-host.ts'

/** Milliseconds until a host that has ended is started again: the first time, and at most. */
const firstPauseMs = 100
const longestPauseMs = 30_000
/**
 * A host that has lived for this many milliseconds counts as sound, so the next pause is short. Less would not do: a host that
 * dies of each of its tasks lives for some seconds, and each start costs a process. A file that has changed starts at once.
 */
const soundMs = 60_000
/** Milliseconds after which a host without leases is ended. It is started again when a lease waits. */
const idleMs = 10 * 60_000
/** How long an old host may finish what it does for its leases, in milliseconds. */
const patienceMs = 10 * 60_000

export type FileDeps = StartDeps & {
  roster: Roster
  commandOf(file: string): Command
  userFor(file: string): UserId | undefined
  /** Does a start when few others are under way. */
  inTurn<T>(start: () => Promise<T>): Promise<T>
}
type Current = { host: Host; started: StartedHost; version: string; since: number; cancelIdle: () => void }

export type HostedFile = {
  name: string
  /** The name of the file. */
  source: string
  /** The version of the file as it is now. */
  version(): string
  /** What the last hello said; undefined: there was none. */
  agent(): Served | undefined
  /** Why the file cannot be run as it is now; undefined: it can, or is still starting. */
  error(): string | undefined
  /** Whether it has a host, perhaps one of an earlier version, or can have one. */
  isServed(): boolean
  /** Resolves when the first start has said what the agent is, or has failed. */
  settled: Promise<void>
  /** The file may have changed. */
  look(file: AgentFile): void
  /** A lease waits for the agent. */
  wanted(): void
  /** Ends the hosts. `isGone`: the file was removed, so leases that only wait end first. */
  end(isGone: boolean): Promise<void>
}

export const hostFile = (found: AgentFile, deps: FileDeps): HostedFile => {
  const { timers, clock, roster, report } = deps
  const { name, file } = found
  let seen = ''
  let version = ''
  let agent: Served | undefined
  let error: string | undefined
  let current: Current | undefined
  /** Hosts of earlier versions that still have leases, with what ends them. */
  const old = new Map<StartedHost, () => void>()
  let isStarting = false
  let isOver = false
  const first = Promise.withResolvers<void>()
  let pauseMs = firstPauseMs
  let cancelPause = () => {}

  const startLater = () => {
    cancelPause()
    cancelPause = timers.after(pauseMs, () => void start())
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
  /** The path of the folder is for the operator alone. */
  const failed = (why: string) => {
    const message = why.replaceAll(file.slice(0, -path.basename(file).length), '')
    if (message !== error) report('error', 'an agent cannot be loaded', { agent: name, file, error: why })
    error = message
    startLater()
  }

  /** Ends a host when its leases have ended. */
  const retire = ({ host, started, cancelIdle }: Current, why: string) => {
    cancelIdle()
    roster.remove(host)
    const { connection } = started
    const end = () => {
      cancel()
      if (old.delete(started)) void started.end()
    }
    const cancel = timers.after(patienceMs, () => connection.end({ why: 'released', message: why }))
    old.set(started, end)
    connection.moveAway(why)
    if (connection.leases() === 0) end()
  }

  const restIfIdle = (one: Current) => {
    one.cancelIdle()
    one.cancelIdle = timers.after(idleMs, () => {
      if (current !== one || one.started.connection.leases() > 0) return
      current = undefined
      retire(one, 'the host has nothing to do')
    })
  }

  const takeOver = (started: StartedHost, ofVersion: string, isGone: () => boolean) => {
    agent = { ...servedBy(started.agent), name, version: started.agent.version ?? ofVersion }
    error = undefined
    if (isGone()) return
    const host: Host = {
      ...{ id: newHostId(), name: path.basename(file), user: undefined, isWorker: false },
      ...{ agents: new Map([[name, agent]]), slots: started.slots ?? usualSlots },
      ...{ connectedAt: clock.now(), connection: started.connection },
    }
    const before = current
    current = { host, started, version: ofVersion, since: clock.now(), cancelIdle: () => {} }
    if (before !== undefined) retire(before, 'the file of the agent has changed')
    roster.add(host)
    report('info', 'an agent is loaded', { agent: name, file, version: agent.version })
    restIfIdle(current)
  }

  const start = async (): Promise<void> => {
    cancelPause()
    if (isStarting || isOver || current?.version === version) return
    isStarting = true
    const ofVersion = version
    let isGone = false
    let own: StartedHost | undefined
    const gone = (why: string) => {
      isGone = true
      if (own === undefined) return
      if (current?.started !== own) return old.get(own)?.()
      const { host, since, cancelIdle } = current
      current = undefined
      cancelIdle()
      roster.remove(host)
      report('warn', 'the host of an agent has ended, and is started again', { agent: name, reason: why })
      if (clock.now() - since > soundMs) pauseMs = firstPauseMs
      startLater()
    }
    const freed = () => {
      if (own === undefined) return
      if (current?.started === own) {
        roster.freed(current.host)
        if (own.connection.leases() === 0) restIfIdle(current)
      } else if (own.connection.leases() === 0) old.get(own)?.()
    }
    const heard = () => {
      if (own !== undefined && current?.started === own) roster.heard(current.host)
    }
    const stopping = () => {
      if (own !== undefined && current?.started === own) roster.remove(current.host)
    }
    const command = { ...deps.commandOf(file), user: deps.userFor(file) }
    try {
      own = await deps.inTurn(() => startHost({ command, name, gone, freed, heard, stopping }, deps))
      if (isOver) await own.end()
      else takeOver(own, ofVersion, () => isGone)
      if (isGone) startLater()
    } catch (reason) {
      if (!isOver) failed(reason instanceof CannotLoad ? reason.message : String(reason))
    } finally {
      isStarting = false
      first.resolve()
    }
    if (ofVersion !== version) await start() // the file has changed meanwhile
  }

  const look = (now: AgentFile) => {
    if (now.seen === seen) return
    try {
      const of = versionOfFile(file)
      seen = now.seen
      if (of === version) return
      version = of
    } catch {
      return // the file was just removed, or may not be read
    }
    pauseMs = firstPauseMs
    void start()
  }
  look(found)

  return {
    name,
    source: path.basename(file),
    version: () => version,
    agent: () => agent,
    error: () => error,
    settled: first.promise,
    isServed: () => current !== undefined || error === undefined,
    look,
    wanted() {
      if (current === undefined && error === undefined) void start()
    },
    async end(isGone) {
      isOver = true
      cancelPause()
      if (isGone) report('info', 'the file of an agent was removed', { agent: name, file })
      if (current !== undefined && isGone) {
        retire(current, 'the file of the agent was removed')
        current = undefined
        return
      }
      const all = [...old.keys(), ...(current ? [current.started] : [])]
      current?.cancelIdle()
      await Promise.all(all.map(one => one.end()))
    },
  }
}
