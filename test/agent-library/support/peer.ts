// Plays the server's side of the agent protocol: over the pipes of a process, over a WebSocket, or in this process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Definition, definitionOf } from '../../../library/agent/definition.ts'
import { createAgentHost } from '../../../library/agent/host.ts'
import { built } from '../../../src/platform/built.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests compare messages of any form
export type Told = any

/** The messages of a host, one after the other. */
export const createInbox = () => {
  const told: Told[] = []
  const askers: ((message: Told) => void)[] = []
  return {
    hear(message: Told): void {
      const asker = askers.shift()
      if (asker === undefined) told.push(message)
      else asker(message)
    },
    next: (): Promise<Told> =>
      told.length > 0 ? Promise.resolve(told.shift()) : new Promise(resolve => askers.push(resolve)),
    waiting: (): number => told.length,
  }
}
export type Peer = { send(message: object): void; next(): Promise<Told>; waiting(): number }

export const beginOf = (agent: string, given: object = {}): object => ({
  type: 'begin',
  lease: 'l_1',
  task: 'task_1',
  session: 's1',
  agent,
  version: '1',
  input: { text: 'hi', content: 'hi', items: [] },
  config: {},
  vars: {},
  seed: '5eed',
  at: 1000,
  ...given,
})

/** A host in this process. */
export const hostHere = (
  agents: Readonly<Record<string, unknown>>,
  more: Partial<Parameters<typeof createAgentHost>[0]> = {},
) => {
  const inbox = createInbox()
  const warnings: string[] = []
  const host = createAgentHost({
    agents: new Map(
      Object.entries(agents).map(([name, value]): [string, Definition] => [name, definitionOf(value)]),
    ),
    send: text => inbox.hear(JSON.parse(text)),
    hasRoom: () => true,
    warn: line => warnings.push(line),
    ...more,
  })
  const send = (message: object) => host.take(structuredClone(message))
  return { host, warnings, send, next: inbox.next, waiting: inbox.waiting }
}

type Ends = { teardown(job: () => unknown): void }

/** A process that runs the agent of one file. */
export const hostProcess = (t: Ends, file: string) => {
  const child = spawn(process.execPath, [fileURLToPath(built('agent-host-process.mjs')), file], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const inbox = createInbox()
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  child.stdin.on('error', () => {})
  createInterface(child.stdout).on('line', line => inbox.hear(JSON.parse(line)))
  return {
    child,
    exited: once(child, 'exit'),
    errors: () => errors,
    send: (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    next: inbox.next,
    waiting: inbox.waiting,
  }
}

export type Connection = Peer & { socket: WebSocket; headers: NodeJS.Dict<string | string[]> }

/** A server to which workers connect. It refuses other tokens than `token` with `status`. */
export const workerServer = async (t: Ends, { token = 'secret', status = 401, port = 0 } = {}) => {
  const http = createServer((_, response) => response.writeHead(404).end())
  const sockets = new WebSocketServer({ noServer: true })
  const arrived: Connection[] = []
  const askers: ((connection: Connection) => void)[] = []
  http.on('upgrade', (request, socket, head) => {
    const isOurs = request.url === '/v1/workers' && request.headers.authorization === `Bearer ${token}`
    if (!isOurs) {
      const body = JSON.stringify({
        code: -32001,
        message: 'the token is not valid',
        data: { hint: 'make one' },
      })
      return void socket.end(
        `HTTP/1.1 ${status} No\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
    }
    sockets.handleUpgrade(request, socket, head, one => {
      const inbox = createInbox()
      one.on('message', data => inbox.hear(JSON.parse(String(data))))
      const connection = {
        socket: one,
        headers: request.headers,
        send: (message: object) => one.send(JSON.stringify(message)),
        next: inbox.next,
        waiting: inbox.waiting,
      }
      const asker = askers.shift()
      if (asker === undefined) arrived.push(connection)
      else asker(connection)
    })
  })
  await new Promise<void>(resolve => http.listen(port, '127.0.0.1', resolve))
  const close = () => {
    for (const one of sockets.clients) one.terminate()
    http.closeAllConnections()
    return new Promise(resolve => http.close(resolve))
  }
  t.teardown(close)
  return {
    port: (http.address() as AddressInfo).port,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    /** The next worker that connects. */
    connection: (): Promise<Connection> => {
      const one = arrived.shift()
      return one === undefined ? new Promise(resolve => askers.push(resolve)) : Promise.resolve(one)
    },
    close,
  }
}

export const isRunning = (child: ChildProcess): boolean =>
  child.exitCode === null && child.signalCode === null
