// Three real nats-servers that are one cluster, on this machine. Each can be killed, frozen and started again. All ways
// between the servers, and from clients to servers, pass through this process and can be cut and healed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { connect as connectClient, type NatsConnection } from '@nats-io/transport-node'
import type { Test } from 'tap'
import type { NatsSettings } from '../../src/bus/nats/nats-settings.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { pause } from './http.ts'
import { noNats } from './nats.ts'
import { type NatsLine, natsProgramOf, usualNats } from './nats-programs.ts'
import { saveFolder } from './nats-stores.ts'
import { openWay, type Way } from './nats-ways.ts'

export { noNats }

type Ending = Pick<Test, 'teardown'>
/** A server: 0, 1 or 2. */
export type Place = number

const places = [0, 1, 2]
const password = 'only-for-tests'

const answers = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('data', () => resolve(true)).once('close', () => resolve(false))
    socket.on('error', () => {}).once('data', () => socket.destroy())
  })

/** Milliseconds between two looks. Each costs the node or server that is asked some work. */
const lookMs = 25

/** How many times longer everything may take, on a machine that others use, too. */
const patience = Number(process.env.PATIENCE ?? 1)

/** Resolves with the first result of `look` that is neither undefined nor false. An error counts as no result. */
export const until = async <T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 60_000,
): Promise<T> => {
  const end = performance.now() + ms * patience
  let last: unknown
  while (performance.now() < end) {
    try {
      const found = await look()
      if (found !== undefined && found !== false) return found
    } catch (error) {
      last = error
    }
    await pause(lookMs)
  }
  throw new Error(`${what}: not within ${ms * patience} ms`, { cause: last })
}

type Ports = { client: number; route: number; monitor: number }
type Layout = { ports: Ports; store: string; routes: number[]; isSynced: boolean }
const configOf = (place: Place, { ports, store, routes, isSynced }: Layout): string => `
listen: "127.0.0.1:${ports.client}"
http: "127.0.0.1:${ports.monitor}"
server_name: "nats-${place}"
jetstream { store_dir: ${JSON.stringify(store)}, ${isSynced ? 'sync_interval: always' : ''} }
cluster {
  name: reprise
  listen: "127.0.0.1:${ports.route}"
  # Nothing answers at this address, so the servers use only the routes that are named below.
  advertise: "127.0.0.1:1"
  routes: [${routes.map(port => `"nats-route://127.0.0.1:${port}"`).join(', ')}]
}
accounts {
  CLUSTER { jetstream: enabled, users: [{ user: cluster, password: "${password}" }] }
  EVENTS { jetstream: enabled, users: [{ user: events, password: "${password}" }] }
  SYSTEM { users: [{ user: system, password: "${password}" }] }
}
system_account: SYSTEM
`

// In whatever way the tests end, no nats-server is left running.
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const createServerAt = (program: string, file: string, port: number) => {
  let child: ChildProcess | undefined
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child
    child = undefined
    if (ending === undefined) return
    const ended = once(ending, 'exit')
    ending.kill(signal)
    if (ending.exitCode === null && ending.signalCode === null) await ended
    running.delete(ending)
  }
  return {
    end,
    async start(): Promise<void> {
      await end('SIGKILL')
      let output = ''
      const started = spawn(program, ['-c', file], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      running.add(started)
      child = started
      started.stderr.on('data', chunk => {
        output += chunk
      })
      while (!(await answers(port))) {
        if (started.exitCode !== null) throw new Error(`nats-server did not start: ${output}`)
        await pause(10)
      }
    },
    signal: (signal: NodeJS.Signals) => void child?.kill(signal),
  }
}

type Wish = {
  /** The line of versions of the servers; absent: the usual one. */
  line?: NatsLine | undefined
  /** Whether servers confirm records before they are on the disk, although they could write them at once. */
  isLazy?: boolean
}

export const natsCluster = async (t: Ending, { line, isLazy = false }: Wish = {}) => {
  const program = line === undefined ? usualNats() : natsProgramOf(line)
  if (program === undefined) throw new Error('there is no nats-server')
  const isSynced = program.isSafe && !isLazy
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-nats-cluster-'))
  const ports: Ports[] = []
  for (const _ of places)
    ports.push({ client: await freePort(), route: await freePort(), monitor: await freePort() })
  const storeOf = (place: Place): string => path.join(folder, `store-${place}`)
  const portsOf = (place: Place) => ports[place] as Ports
  /** The ways between servers, each under the two places. The first connects to the second. */
  const routes = new Map<string, Way>()
  for (const [from, to] of [
    [0, 1],
    [1, 2],
    [2, 0],
  ] as const)
    routes.set(`${from}-${to}`, await openWay(portsOf(to).route))
  const clientWays: Way[] = []
  const servers = places.map(place => {
    const file = path.join(folder, `${place}.conf`)
    const dialed = [...routes].filter(([name]) => name.startsWith(`${place}-`)).map(([, way]) => way.port)
    const layout = { ports: portsOf(place), store: storeOf(place), routes: dialed, isSynced }
    writeFileSync(file, configOf(place, layout))
    return createServerAt(program.file, file, portsOf(place).client)
  })
  const serverAt = (place: Place) => servers[place] as (typeof servers)[number]
  t.teardown(async () => {
    await Promise.all(servers.map(server => server.end('SIGKILL')))
    for (const way of [...routes.values(), ...clientWays]) way.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await Promise.all(servers.map(server => server.start()))

  /** A connection for the test itself, to the first of the servers that answers. */
  const connected = async (place?: Place, user = 'cluster'): Promise<NatsConnection> =>
    connectClient({
      servers: (place === undefined ? places : [place]).map(one => `127.0.0.1:${portsOf(one).client}`),
      user,
      pass: password,
      reconnect: false,
      timeout: 1000,
    })
  const asked = async <T>(ask: (connection: NatsConnection) => Promise<T>): Promise<T> => {
    const connection = await connected()
    try {
      return await ask(connection)
    } finally {
      await connection.close()
    }
  }
  /** The state of a stream, as soon as it has a leader. */
  const stream = (name: string): Promise<StreamInfo> =>
    until(`a leader of ${name}`, () =>
      asked(async connection => {
        const info = await (await jetstreamManager(connection, { timeout: 500 })).streams.info(name)
        return info.cluster?.leader ? info : undefined
      }),
    )
  const askedAt = async (place: Place) => {
    const connection = await connected(place)
    await jetstreamManager(connection, { timeout: 500 }).finally(() => connection.close())
    return true
  }
  for (const place of places) await until(`JetStream on server ${place}`, () => askedAt(place))
  const cutOrHeal = (act: 'cut' | 'heal') => (place: Place) => {
    for (const [name, way] of routes) if (name.includes(`${place}`)) way[act]()
  }
  return {
    version: program.version,
    /** Whether each server writes each record to disk before it confirms the record. */
    isSynced,
    /** The monitoring addresses, in the order of the places. */
    monitorUrls: ports.map(({ monitor }) => `http://127.0.0.1:${monitor}`),
    /** The folder in which a server keeps its copies of the streams. */
    storeOf,
    /** Keeps aside what a server that runs has on its disk at this moment. The result puts it back; then it must have ended. */
    saveStore(place: Place): () => void {
      serverAt(place).signal('SIGSTOP')
      const putBack = saveFolder(storeOf(place))
      serverAt(place).signal('SIGCONT')
      return putBack
    },
    /** Removes a record on all servers, as an operator could. The stream must allow it. */
    deleteRecord: (name: string, sequence: number) =>
      asked(async connection => (await jetstreamManager(connection)).streams.deleteMessage(name, sequence)),
    /** Removes all that a server keeps. The server must have ended. */
    wipe: (place: Place) => rmSync(storeOf(place), { recursive: true, force: true }),
    connected,
    stream,
    leaderOf: async (name: string): Promise<Place> =>
      Number((await stream(name)).cluster?.leader?.replace('nats-', '')),
    kill: (place: Place) => serverAt(place).end('SIGKILL'),
    /** Asks a server to end, as systemctl stop does. */
    stop: (place: Place) => serverAt(place).end('SIGTERM'),
    start: (place: Place) => serverAt(place).start(),
    /** Asks a server to lead a stream. Resolves to whether it does, within some seconds: NATS may choose another one. */
    async leadAt(name: string, place: Place): Promise<boolean> {
      for (let tries = 0; tries < 5; tries++) {
        if (Number((await stream(name)).cluster?.leader?.replace('nats-', '')) === place) return true
        const wish = { placement: { preferred: `nats-${place}` } }
        await asked(connection =>
          connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${name}`, JSON.stringify(wish), {
            timeout: 2000,
          }),
        ).catch(() => {}) // it is asked again
        await pause(500)
      }
      return false
    },
    /** What the API of JetStream answers at a server. The user `system` asks for what concerns all servers. */
    async ask(place: Place, subject: string, body: object = {}, user: 'cluster' | 'system' = 'cluster') {
      const connection = await connected(place, user)
      try {
        const answer = await connection.request(subject, JSON.stringify(body), { timeout: 5000 })
        return answer.json<{ success?: boolean; error?: { description: string } }>()
      } finally {
        await connection.close()
      }
    },
    /** The server that says which streams there are; undefined: there is none at the moment. */
    async leaderOfAll(): Promise<Place | undefined> {
      const asked = await fetch(`http://127.0.0.1:${portsOf(0).monitor}/jsz`)
      const { meta_cluster: all } = (await asked.json()) as { meta_cluster?: { leader?: string } }
      return all?.leader === undefined ? undefined : Number(all.leader.replace('nats-', ''))
    },
    freeze: (place: Place) => serverAt(place).signal('SIGSTOP'),
    thaw: (place: Place) => serverAt(place).signal('SIGCONT'),
    /** Cuts a server off from the other servers, but not from its clients. */
    isolate: cutOrHeal('cut'),
    rejoin: cutOrHeal('heal'),
    /** A client's own ways to the servers, and its settings. Its ways can be cut. */
    async client(order: Place[] = places, user: 'cluster' | 'events' = 'cluster') {
      const ways: Way[] = []
      for (const place of order) ways.push(await openWay(portsOf(place).client))
      clientWays.push(...ways)
      const settings: NatsSettings = {
        servers: ways.map(way => `127.0.0.1:${way.port}`),
        login: { by: 'user', user, password },
        tls: undefined,
        shown: ways.map(way => `nats://127.0.0.1:${way.port}`).join(','),
      }
      const act = (what: 'cut' | 'heal' | 'hold' | 'release', which: Place[]) => {
        for (const place of which) ways[order.indexOf(place)]?.[what]()
      }
      return {
        settings,
        cut: (...which: Place[]) => act('cut', which.length ? which : order),
        heal: (...which: Place[]) => act('heal', which.length ? which : order),
        /** Lets nothing through, without breaking the connections. */
        hold: () => act('hold', order),
        release: () => act('release', order),
      }
    },
  }
}
export type NatsCluster = Awaited<ReturnType<typeof natsCluster>>
