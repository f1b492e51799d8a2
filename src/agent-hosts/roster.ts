// The hosts that are there, and the leases that wait for one of them. A lease goes to a host of its own user before a
// shared one, and to a host with the version with which its task began before the newest. Users take turns for slots. A suspect, whose last host
// has ended before the code was heard, begins when all other leases of a host are heard; then no other begins on this host until
// the suspect is heard.
import type { HostHello } from '../contract/agent-protocol.ts'
import type { CodeAgent, CodeAgents, Lease, LeaseEnd, LeaseListener } from '../contract/code-agent.ts'
import { createLine, type Line } from '../fairness/line.ts'
import type { Connection, HeldLease } from './connection.ts'

/** An agent in a host. */
export type Served = Omit<CodeAgent, 'source'>
/** What a host says about an agent, besides its name and its version. */
export const servedBy = ({
  kind = 'function',
  description,
  parameters,
  task_support,
  machine,
}: HostHello['agents'][number]): Omit<Served, 'name' | 'version'> => ({
  kind,
  ...(description === undefined ? {} : { description }),
  ...(parameters === undefined ? {} : { parameters }),
  ...(task_support === undefined ? {} : { task_support }),
  ...(machine === undefined ? {} : { chart: machine }),
})

/** A host that takes leases. */
export type Host = {
  /** Later hosts have ids that sort after it. */
  id: string
  /** The name of the worker, or the file. */
  name: string
  /** Whose tasks it serves; undefined: those of all users. */
  user: string | undefined
  isWorker: boolean
  agents: ReadonlyMap<string, Served>
  slots: number
  /** Milliseconds since 1970. */
  connectedAt: number
  connection: Pick<Connection, 'begin' | 'leases' | 'unheard'>
}
let made = 0
export const newHostId = (): string => (++made).toString(36).padStart(10, '0')

type Asked = Parameters<CodeAgents['lease']>[0]
/** A lease that waits. */
type Waiting = Asked & {
  listener: LeaseListener
  /** Takes it out of the line in which it stands. */
  leave: () => void
  begun: (lease: HeldLease, host: Host) => void
}
/** The place of a lease in a host. */
type Seat = { host: Host; giveWay(): void }
/** The hosts that are equal for a lease: those with this agent in this version, of the same user. */
type Group = {
  agent: string
  user: string | undefined
  version: string
  hosts: Set<Host>
  line: Line<Waiting>
  suspects: Line<Waiting>
}

type Deps = {
  /** Called when a lease waits and no host has its agent. */
  wanted(agent: string): void
  /** Called when a lease cannot begin because of a bug. */
  fault(error: unknown): void
  /** Whether the user has an agent of this name in workers, also one whose workers are away. */
  isOwn(agent: string, user: string): boolean
}

const keyOf = (agent: string, user: string | undefined, version: string): string =>
  JSON.stringify([agent, user ?? null, version])

export const createRoster = ({ wanted, fault, isOwn }: Deps) => {
  /** In the order in which they came. */
  const hosts = new Set<Host>()
  const groups = new Map<string, Group>()
  /** All leases that wait, by agent. */
  const waiting = new Map<string, Set<Waiting>>()
  /** The suspects among them. */
  const suspects = new Set<Waiting>()
  /** The hosts on which a suspect has begun. */
  const tested = new WeakSet<Host>()
  const callbacks: (() => void)[] = []
  /** Leases whose tasks only wait, the longest first: they give way to leases that wait for a slot. */
  const resting = new Set<Seat>()
  let turns = 0
  let isClosed = false

  /**
   * The hosts with this agent that may serve the user: those of the user, or else those for all users. While the user has an
   * agent of this name, also one whose hosts are away, no shared host gets its tasks. `began`: a task that has begun stays with
   * hosts of the user (true), unless a file of the server has the name now, or with those for all users (false).
   */
  const hostsFor = (agent: string, user: string, began?: boolean): Host[] => {
    const all = [...hosts].filter(host => host.agents.has(agent))
    const shared = all.filter(host => host.user === undefined)
    if (began === false) return shared
    const own = all.filter(host => host.user === user)
    if (own.length > 0 || isOwn(agent, user)) return own
    return began === true ? shared.filter(host => !host.isWorker) : shared
  }
  /** The host that has come last is the newest. */
  const versionOf = (host: Host, agent: string): string => host.agents.get(agent)?.version ?? ''

  const groupFor = ({ agent, user, version, isOwn: began }: Asked): Group | undefined => {
    const able = hostsFor(agent, user, began)
    const chosen = able.find(host => versionOf(host, agent) === version) ?? able.at(-1)
    return chosen && groups.get(keyOf(agent, chosen.user, versionOf(chosen, agent)))
  }

  const isTested = (host: Host): boolean => tested.has(host) && host.connection.unheard() > 0
  const isHeard = (host: Host): boolean => host.connection.unheard() === 0
  const groupsOf = (host: Host): Group[] =>
    [...host.agents].flatMap(([agent, { version }]) => groups.get(keyOf(agent, host.user, version)) ?? [])

  const quietest = ({ hosts: equal }: Group): Host | undefined => {
    let best: Host | undefined
    for (const host of equal)
      if (best === undefined || host.connection.unheard() < best.connection.unheard()) best = host
    return best
  }
  /** Whether a suspect waits until the leases of the host are heard. Without this, new leases could keep it waiting for ever. */
  const isKept = (host: Host): boolean =>
    suspects.size > 0 && groupsOf(host).some(group => group.suspects.isReady() && quietest(group) === host)
  const takesOthers = (host: Host): boolean => !isTested(host) && !isKept(host)

  const freest = (equal: Iterable<Host>, isRight: (host: Host) => boolean): Host | undefined => {
    let best: Host | undefined
    let mostFree = 0
    for (const host of equal) {
      if (!isRight(host)) continue
      const free = host.slots - host.connection.leases()
      if (free > mostFree) [best, mostFree] = [host, free]
    }
    return best
  }
  const forget = (lease: Waiting) => {
    const all = waiting.get(lease.agent)
    all?.delete(lease)
    suspects.delete(lease)
    if (all?.size === 0) waiting.delete(lease.agent)
  }
  const begin = (host: Host, lease: Waiting) => {
    forget(lease)
    if (lease.isSuspect) tested.add(host)
    else tested.delete(host)
    try {
      lease.begun(host.connection.begin(lease.listener, versionOf(host, lease.agent)), host)
    } catch (error) {
      fault(error)
    }
  }
  /** A host whose slot a resting lease has given up. */
  const vacated = (equal: ReadonlySet<Host>, isRight: (host: Host) => boolean): Host | undefined => {
    for (const lease of resting) {
      if (!equal.has(lease.host) || !isRight(lease.host)) continue
      resting.delete(lease)
      lease.giveWay()
      return freest([lease.host], isRight)
    }
    return undefined
  }
  const takeFrom = (group: Group, line: Line<Waiting>, isRight: (host: Host) => boolean): boolean => {
    if (!line.isReady()) return false
    const host = freest(group.hosts, isRight) ?? vacated(group.hosts, isRight)
    const next = host && line.take()
    if (host === undefined || next === undefined) return false
    begin(host, next.job)
    return true
  }
  const fill = (group: Group): void => {
    if (isClosed) return
    let hadSuspect = false
    while (takeFrom(group, group.suspects, isHeard)) hadSuspect = true
    while (takeFrom(group, group.line, takesOthers));
    if (hadSuspect) releaseKept(group.hosts)
  }
  /** After a suspect has left its line: a host that was kept for it takes others again, those of all its groups. */
  const releaseKept = (kept: Iterable<Host>): void => {
    for (const host of kept) for (const group of groupsOf(host)) fill(group)
  }
  /** Puts a waiting lease into the line of the right group. */
  const place = (lease: Waiting): void => {
    if (isClosed || waiting.get(lease.agent)?.has(lease) !== true) return
    lease.leave()
    const group = groupFor(lease)
    if (group === undefined) wanted(lease.agent)
    else {
      lease.leave = (lease.isSuspect ? group.suspects : group.line).join(lease.user, lease)
      fill(group)
    }
  }
  /** After hosts have come or gone, other hosts may be right for the leases that wait. */
  const replace = (agents: Iterable<string>): void => {
    for (const agent of agents) {
      const all = [...(waiting.get(agent) ?? [])]
      for (const lease of all) lease.leave()
      for (const lease of all) place(lease)
      if (all.some(lease => lease.isSuspect)) releaseKept(hosts)
    }
  }
  const freed = (host: Host): void => {
    if (isClosed) return
    const own = groupsOf(host)
    // The groups of a host take turns: the one that was served last moves behind the others.
    const from = own.length > 1 ? turns++ % own.length : 0
    for (const group of [...own.slice(from), ...own.slice(0, from)]) fill(group)
  }

  const codeAgentOf = (host: Host, agent: string): CodeAgent | undefined => {
    const served = host.agents.get(agent)
    const own = host.user === undefined ? {} : { isOwn: true as const }
    return served && { ...served, ...own, source: host.isWorker ? 'worker' : host.name }
  }

  return {
    /** Adds a host, which then gets leases. */
    add(host: Host): void {
      hosts.add(host)
      for (const [agent, { version }] of host.agents) {
        const key = keyOf(agent, host.user, version)
        const group = groups.get(key) ?? {
          ...{ agent, user: host.user, version },
          ...{ hosts: new Set<Host>(), line: createLine<Waiting>(), suspects: createLine<Waiting>() },
        }
        group.hosts.add(host)
        groups.set(key, group)
      }
      replace(host.agents.keys())
      for (const tell of callbacks) tell()
    },
    /** Calls back when a host has come or gone. */
    onChanged: (callback: () => void): void => void callbacks.push(callback),
    /** The host gets no more leases. */
    remove(host: Host): void {
      if (!hosts.delete(host)) return
      for (const group of groupsOf(host)) {
        group.hosts.delete(host)
        if (group.hosts.size === 0) groups.delete(keyOf(group.agent, group.user, group.version))
      }
      replace(host.agents.keys())
      for (const tell of callbacks) tell()
    },
    /** Other hosts may be right for the leases of these agents that wait. */
    review: replace,
    /** A slot of the host is free. */
    freed,
    /** The host has fewer leases that are not heard yet. */
    heard(host: Host): void {
      if ((tested.has(host) || suspects.size > 0) && isHeard(host)) freed(host)
    },
    lease(request: Asked, listener: LeaseListener): Lease {
      let held: HeldLease | undefined
      let seat: Seat | undefined
      const over = (end: LeaseEnd) => {
        if (seat !== undefined) resting.delete(seat)
        listener.over(end)
      }
      /** The side effects that the task tells the host to run while the lease begins. */
      const early: number[] = []
      const lease: Waiting = {
        ...request,
        ...{ listener: { ...listener, over }, leave: () => {} },
        begun(one, host) {
          held = one
          seat = {
            host,
            giveWay() {
              one.stop('rest')
              over({ why: 'released', message: 'the task waits, and another one needs its slot' })
            },
          }
          for (const n of early.splice(0)) one.run(n)
        },
      }
      const all = waiting.get(request.agent) ?? new Set<Waiting>()
      waiting.set(request.agent, all.add(lease))
      if (request.isSuspect) suspects.add(lease)
      // The lease begins after this call, since its listener does not know it yet.
      queueMicrotask(() => place(lease))
      return {
        results: results => held?.results(results),
        run(n) {
          if (held === undefined) early.push(n)
          else held.run(n)
        },
        rests(isResting) {
          if (seat === undefined) return
          if (!isResting) resting.delete(seat)
          else if (!resting.has(seat)) {
            resting.add(seat)
            for (const group of groupsOf(seat.host)) fill(group)
          }
        },
        stop(reason) {
          if (seat !== undefined) resting.delete(seat)
          held?.stop(reason)
          lease.leave()
          forget(lease)
          // The host that was kept for the suspect takes others again.
          if (request.isSuspect && held === undefined) releaseKept(hosts)
        },
      }
    },
    /** The agent on which a new task of the user begins, or one that has begun goes on. */
    find(name: string, user: string, began?: boolean): CodeAgent | undefined {
      const newest = hostsFor(name, user, began).at(-1)
      return newest && codeAgentOf(newest, name)
    },
    hosts: (): readonly Host[] => [...hosts],
    isWaitedFor: (agent: string): boolean => waiting.has(agent),
    /** From now on no lease begins. */
    close(): void {
      isClosed = true
    },
  }
}
export type Roster = ReturnType<typeof createRoster>
