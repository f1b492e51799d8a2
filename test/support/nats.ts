// A real nats-server for tests. nats-programs.ts says which one. A test can kill it and start it again, with its
// store or without it, and can cut or hold the connections to it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import {
  connect as connectClient,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node'
import type { Test } from 'tap'
import { freePort } from '../../src/platform/free-port.ts'
import { pause } from './http.ts'
import { type NatsLine, natsProgramOf, usualNats } from './nats-programs.ts'

/** False, or the reason for which tests that need a nats-server are skipped. */
export const noNats =
  usualNats() === undefined
    ? 'there is no nats-server, and it could not be installed: apt-get install nats-server, or brew install nats-server'
    : false

const answers = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('data', () => resolve(true))
    socket.once('close', () => resolve(false))
    socket.on('error', () => {})
    socket.once('data', () => socket.destroy())
  })

// In whatever way the tests end, no nats-server is left running.
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A test, or any other object that says when a test is over. */
type Ending = Pick<Test, 'teardown'>
type Wish = {
  jetStream?: boolean
  /** Further lines of its configuration. */
  config?: string
  env?: Record<string, string>
  /** Whether the server is not started yet: the test starts it. */
  isAway?: boolean
  /** Its line of versions; absent: the usual one. */
  line?: NatsLine | undefined
  /** Whether it writes each record to disk at once. */
  isSynced?: boolean
}

export const natsServer = async (
  t: Ending,
  { jetStream = true, config = '', env = {}, isAway = false, line, isSynced = false }: Wish = {},
) => {
  const program = line === undefined ? usualNats() : natsProgramOf(line)
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-nats-'))
  const store = path.join(folder, 'store')
  const file = path.join(folder, 'nats.conf')
  const port = await freePort()
  const monitor = await freePort()
  let child: ChildProcess | undefined
  let output = ''

  const kill = async (): Promise<void> => {
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    running.delete(child)
    child = undefined
  }
  const start = async ({
    empty = false,
    withJetStream = jetStream,
    synced = isSynced,
  } = {}): Promise<void> => {
    if (empty) rmSync(store, { recursive: true, force: true })
    const sync = synced ? 'sync_interval: always' : ''
    const withStore = withJetStream ? `jetstream { store_dir: ${JSON.stringify(store)}, ${sync} }` : ''
    const listen = `listen: "127.0.0.1:${port}"\nhttp: "127.0.0.1:${monitor}"`
    writeFileSync(file, `${listen}\n${withStore}\n${config}\n`)
    const started = spawn(program?.file ?? '', ['-c', file], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running.add(started)
    child = started
    started.stderr?.on('data', chunk => {
      output += chunk
    })
    while (!(await answers(port))) {
      if (started.exitCode !== null) throw new Error(`nats-server did not start: ${output}`)
      await pause(10)
    }
  }
  t.teardown(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  if (!isAway) await start()

  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    monitorUrl: `http://127.0.0.1:${monitor}`,
    start,
    kill,
    signal: (signal: NodeJS.Signals) => void child?.kill(signal),
    output: () => output,
    /** A client for the test itself, which is closed when the test ends. */
    async client(t: Ending, options: NodeConnectionOptions = {}): Promise<NatsConnection> {
      const connection = await connectClient({
        servers: `127.0.0.1:${port}`,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 50,
        ...options,
      })
      t.teardown(() => connection.close())
      return connection
    },
  }
}
export type NatsServer = Awaited<ReturnType<typeof natsServer>>

export type Message = { subject: string; headers: Record<string, string>; body: string; sequence: number }

/** Every stored message of the stream, oldest first. */
export const storedIn = async (client: NatsConnection): Promise<Message[]> => {
  const manager = await jetstreamManager(client)
  const { state } = await manager.streams.info('REPRISE_EVENTS')
  if (state.messages === 0) return []
  const consumer = await jetstream(client).consumers.get('REPRISE_EVENTS', {})
  const all: Message[] = []
  const messages = await consumer.consume()
  for await (const message of messages) {
    const headers = Object.fromEntries(
      [...(message.headers ?? [])].map(([name, [value = '']]) => [name, value]),
    )
    all.push({ subject: message.subject, headers, body: message.string(), sequence: message.seq })
    if (message.seq >= state.last_seq) break
  }
  await consumer.delete()
  return all
}

/** The position in the last message of the stream; 0: there is no message. */
export const streamPosition = async (client: NatsConnection): Promise<number> => {
  try {
    const manager = await jetstreamManager(client, { timeout: 1000 })
    const last = await manager.streams.getMessage('REPRISE_EVENTS', { last_by_subj: 'reprise.events.>' })
    return Number(last?.header.get('Nats-Msg-Id') ?? 0)
  } catch {
    return 0
  }
}

/**
 * A proxy to a server. Its connections can be cut. They can be held: then nothing goes through, and neither side
 * notices. And they can be delayed: then everything arrives late.
 */
export const wayTo = async (t: Test, target: number) => {
  const pairs = new Set<[Socket, Socket]>()
  /** What was sent on the delayed connections, until it is let through. */
  const late = new Map<Socket, Buffer[]>()
  let isHeld = false
  const server = createServer(near => {
    const far = connect({ port: target, host: '127.0.0.1' })
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = () => {
      for (const socket of pair) socket.destroy()
      pairs.delete(pair)
    }
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', chunk => void (late.get(from)?.push(chunk) ?? to.write(chunk)))
      from.on('error', () => {})
      from.on('close', () => late.has(from) || end())
      if (isHeld) from.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const cut = () => {
    for (const [near, far] of [...pairs]) {
      near.destroy()
      far.destroy()
    }
  }
  t.teardown(async () => {
    cut()
    await new Promise(resolve => server.close(resolve))
  })
  return {
    url: `nats://127.0.0.1:${port}`,
    cut,
    /** Delays what is sent from now on over the open connections, until it is let through, even if they break first. */
    delay() {
      const delayed = [...pairs]
      for (const [near] of delayed) late.set(near, [])
      return {
        isUnderWay: () => delayed.some(([near]) => (late.get(near)?.length ?? 0) > 0),
        cut: () => {
          for (const [near] of delayed) near.destroy()
        },
        arrive: () => {
          for (const [near, far] of delayed) far.write(Buffer.concat(late.get(near) ?? []))
        },
      }
    },
    hold() {
      isHeld = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    release() {
      isHeld = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
  }
}
