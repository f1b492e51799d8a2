// Workers: hosts that users run somewhere else, and that have connected over a WebSocket.
import { agentName, type HostHello, usualSlots } from '../contract/agent-protocol.ts'
import type { Clock, Timers } from '../contract/ports.ts'
import type { AgentInfo, WorkerInfo } from '../contract/wire.ts'
import { Members } from '../platform/transient.ts'
import { type Connection, createConnection, type Welcome } from './connection.ts'
import type { Listed, ListedAgents } from './listed.ts'
import { type Host, newHostId, type Roster, type Served, servedBy } from './roster.ts'

/** Milliseconds between two looks at the workers. */
const lookMs = 1000
/** A worker that has been silent for this many looks is asked for a sign of life. */
const pingAfter = 5
/** A worker that has been silent for this many looks is gone. */
const goneAfter = 15

/** The WebSocket of a worker, as this file sees it. */
export type WorkerSocket = {
  send(text: string): void
  pause(): void
  resume(): void
  /** The number of bytes that were sent and that the worker has not taken yet. */
  unsent(): number
  ping(): void
  /** Ends the connection. */
  cut(why: string): void
}
/** What the socket has to tell. */
export type WorkerLine = {
  /** The bytes of a message. */
  hear(bytes: Buffer): void
  /** Some bytes have arrived, such as the answer to a ping. */
  heard(): void
  /** Something came that is no message. */
  unreadable(why: string): void
  /** Nothing more reaches the worker. What it has sent before still comes. */
  leaves(): void
  /** `isFault`: the worker has closed the connection because it could not take a message of the server. */
  closed(isFault?: boolean): void
}

type Deps = {
  clock: Clock
  timers: Pick<Timers, 'every'>
  roster: Roster
  listed: ListedAgents
  /** Why a worker may not have this name; undefined: it may. */
  refusalOf(name: string): string | undefined
}

export const createWorkers = ({ clock, timers, roster, listed, refusalOf }: Deps) => {
  const connected = new Members<{
    user: string | undefined
    connection: Connection
    look(): void
    goDown(): void
  }>()
  const stop = timers.every(lookMs, () => {
    for (const worker of connected) worker.look()
    roster.review(listed.expire())
  })

  const judge = (
    hello: HostHello,
    user: string | undefined,
  ): { served: Map<string, Served>; welcome: Welcome } => {
    const served = new Map<string, Served>()
    const problemOf = listed.judge(user)
    const refused: Welcome['refused'] = []
    for (const agent of hello.agents) {
      const { name, version = '' } = agent
      const one: Served = { ...servedBy(agent), name, version }
      const reason = !agentName.test(name)
        ? 'a name has up to 64 lower-case letters, digits, _ and -, and begins with a letter'
        : (refusalOf(name) ?? (served.has(name) ? 'the worker has this name twice' : problemOf(one)))
      if (reason === undefined) served.set(name, one)
      else refused.push({ name, reason })
    }
    return { served, welcome: { agents: [...served.keys()], refused } }
  }

  const workersOf = (name: string, user: string | undefined): Host[] =>
    roster.hosts().filter(host => host.isWorker && host.user === user && host.agents.has(name))

  const infoOf = ({ served, user, connectedAt }: Listed): AgentInfo => ({
    ...{ name: served.name, description: served.description ?? '', kind: served.kind, source: 'worker' },
    ...(served.parameters === undefined ? {} : { parameters: served.parameters as Record<string, unknown> }),
    ...(served.task_support === undefined ? {} : { task_support: served.task_support }),
    version: served.version,
    workers: workersOf(served.name, user).length,
    connected_at: Math.floor(connectedAt / 1000),
    ...(user === undefined ? {} : { user_id: user }),
  })

  return {
    /** A worker has connected. `user`: the user of its token; undefined: it serves the tasks of all users. */
    connect(user: string | undefined, socket: WorkerSocket): WorkerLine {
      let host: Host | undefined
      let silent = 0
      let unsent = 0
      let isPaused = false
      let isLeaving = false
      let isClosed = false
      const connection = createConnection({
        send: socket.send,
        pause() {
          isPaused = true
          socket.pause()
        },
        resume() {
          isPaused = false
          silent = 0
          socket.resume()
        },
        hello(hello) {
          const { served, welcome } = judge(hello, user)
          if (served.size === 0) return welcome
          host = {
            ...{ id: newHostId(), name: hello.name ?? 'worker', user, isWorker: true, agents: served },
            ...{ slots: hello.slots ?? usualSlots, connectedAt: clock.now(), connection },
          }
          const worker = host
          // Leases begin after the welcome.
          queueMicrotask(() => {
            if (isClosed || isLeaving) return
            for (const one of served.values()) listed.came(one, user, worker.connectedAt)
            roster.add(worker)
          })
          return welcome
        },
        broken({ message }) {
          isClosed = true
          leave()
          if (host !== undefined) {
            roster.remove(host)
            for (const name of host.agents.keys())
              if (workersOf(name, user).length === 0) listed.left(name, user)
          }
          socket.cut(message)
        },
        stopping: () => host && roster.remove(host),
        freed: () => host && roster.freed(host),
        heard: () => host && roster.heard(host),
        looksUntilHeard: 2 * goneAfter,
      })
      const lost = (message: string) => connection.end({ why: 'lost', message })
      const leave = connected.join({
        ...{ user, connection },
        look() {
          connection.look()
          // While it takes what was sent, its answer to a ping may come late.
          const isTaking = socket.unsent() < unsent
          unsent = socket.unsent()
          silent = isPaused || isTaking ? 0 : silent + 1
          if (silent >= goneAfter) lost(`the worker was silent for ${(goneAfter * lookMs) / 1000} s`)
          else if (silent > 0 && silent % pingAfter === 0) socket.ping()
        },
        goDown: () => connection.end({ why: 'lost', message: 'the server is going down' }, true),
      })
      return {
        hear: connection.hear,
        heard() {
          silent = 0
        },
        unreadable: why =>
          connection.end({ why: 'died', message: `the worker does not speak the protocol: it sent ${why}` }),
        leaves() {
          isLeaving = true
          if (host !== undefined) roster.remove(host)
        },
        closed: (isFault = false) =>
          isFault
            ? connection.end({ why: 'died', message: 'the worker could not take a message of the server' })
            : lost('the connection to the worker was lost'),
      }
    },
    /** The agents of workers that a user may see. Undefined: all. */
    agents(user: string | undefined): AgentInfo[] {
      const all = listed.all()
      if (user === undefined) return all.map(infoOf)
      const isHidden = (one: Listed) =>
        one.user === undefined ? listed.get(one.served.name, user) !== undefined : one.user !== user
      return all.filter(one => !isHidden(one)).map(infoOf)
    },
    /** The agent of workers that a task of the user would run on, also when no worker is connected now. */
    find: (name: string, user: string): Listed | undefined =>
      listed.get(name, user) ?? listed.get(name, undefined),
    /** The workers that are connected. `user`: only those of this user. */
    list: (user: string | undefined): { place: string; info: WorkerInfo }[] =>
      roster
        .hosts()
        .filter(host => host.isWorker && (user === undefined || host.user === user))
        .map(({ id, name, agents, slots, connectedAt, user: of }) => ({
          place: `${name}\0${id}`,
          info: {
            ...{ name, agents: [...agents.keys()], slots, connected_at: Math.floor(connectedAt / 1000) },
            versions: Object.fromEntries([...agents.values()].map(agent => [agent.name, agent.version])),
            ...(of === undefined ? {} : { user_id: of }),
          },
        })),
    /** Forgets the agents of a user's workers. Those that are connected lose their connections, and may come again. */
    async erase(user: string): Promise<void> {
      for (const { connection } of [...connected].filter(one => one.user === user))
        connection.end({ why: 'lost', message: 'the data of the user were erased' })
      await listed.erase(user)
    },
    /** Closes all connections. Their tasks hear nothing of it. */
    async close(): Promise<void> {
      stop()
      for (const { goDown } of [...connected]) goDown()
      await listed.saved()
    },
  }
}
export type Workers = ReturnType<typeof createWorkers>
