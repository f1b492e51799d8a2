// A worker: a host in a process of the user, which connects to the server.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { WebSocket } from 'ws'
import { type Definition, definitionOf } from './definition.ts'
import { createAgentHost, type Welcome } from './host.ts'
import {
  longestAgentName,
  longestMessage,
  longestVersion,
  longestWorkerName,
  mostAgents,
  mostSlots,
  mostUnsent,
  silenceMs,
} from './limits.ts'
import type { Worker, WorkerOptions } from './types.ts'

/** Milliseconds between two looks at the connection. */
const lookMs = 5000
/** Milliseconds between two tries to connect: the first and the longest wait. */
const firstWaitMs = 250
const longestWaitMs = 10_000
const longestAnswer = 65_536
/** Milliseconds for which a worker that has stopped waits until the server has taken what was sent last. */
const closeMs = 5000
const socketOptions = {
  maxPayload: longestMessage,
  perMessageDeflate: false,
  handshakeTimeout: silenceMs,
  closeTimeout: closeMs,
}

/** The server does not take the worker. */
export class WorkerRefused extends Error {
  override name = 'WorkerRefused'
  /** The HTTP status: 401 or 403. Undefined when the server has refused every agent. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

const addressOf = (url: string): URL => {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || !/^(https?|wss?):$/.test(address.protocol))
    throw new TypeError(
      'worker() needs the url of the server, for example { url: "https://reprise.example.com" }',
    )
  address.protocol = address.protocol.replace('http', 'ws')
  address.pathname = `${address.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/workers`
  address.search = ''
  return address
}

const definitionsOf = (agents: WorkerOptions['agents']): Map<string, Definition> => {
  const entries = Object.entries(agents ?? {})
  if (entries.length === 0) throw new TypeError('worker() needs agents, for example { agents: { support } }')
  if (entries.length > mostAgents) throw new TypeError(`a worker has at most ${mostAgents} agents`)
  return new Map(
    entries.map(([name, value]) => {
      if (name.length > longestAgentName || !/^[a-z][a-z0-9_-]*$/.test(name))
        throw new TypeError(
          `“${name}” is no name of an agent: use up to ${longestAgentName} of a-z, 0-9, _ and -, and begin with a letter`,
        )
      try {
        return [name, definitionOf(value)]
      } catch (error) {
        throw new TypeError(`the agent ${name}: ${(error as Error).message}`)
      }
    }),
  )
}

/** The digest of the program's main file. */
const versionOfMain = (): string | undefined => {
  try {
    return hash('sha256', readFileSync(process.argv[1] ?? ''), 'hex').slice(0, 16)
  } catch {
    return undefined
  }
}

const warn = (line: string) => process.stderr.write(`reprise: ${line}\n`)

/** How the server has answered instead of opening the connection. */
const refusalOf = (status: number, body: string): string => {
  try {
    const { message, data } = JSON.parse(body) as { message?: string; data?: { hint?: string } }
    return [`${status}: ${message}`, data?.hint].filter(Boolean).join('. ')
  } catch {
    return `${status}`
  }
}

/**
 * Connects to a server, and runs agents for it. Resolves when the server has accepted at least one agent. Rejects with
 * WorkerRefused when the token is refused, or every agent. While the server cannot be reached, it waits and tries again.
 *
 *     const { stop } = await worker({ url: 'https://reprise.example.com', token, agents: { support } })
 */
export const worker = (options: WorkerOptions): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const { token, name = `${hostname()}-${process.pid}`, slots = 16, signals = true } = options
    const address = addressOf(options.url)
    const server = address.origin.replace(/^ws/, 'http')
    if (typeof token !== 'string' || token === '')
      throw new TypeError('worker() needs a token with the role worker: { token }')
    if (!Number.isInteger(slots) || slots < 1 || slots > mostSlots)
      throw new TypeError(`slots of worker() must be a whole number from 1 to ${mostSlots}`)
    if (typeof name !== 'string' || name === '' || name.length > longestWorkerName)
      throw new TypeError(`the name of a worker must be text of 1 to ${longestWorkerName} characters`)
    const agents = definitionsOf(options.agents)
    const version = options.version ?? versionOfMain()
    if (
      version !== undefined &&
      (typeof version !== 'string' || version === '' || version.length > longestVersion)
    )
      throw new TypeError(`the version of a worker must be text of 1 to ${longestVersion} characters`)

    let socket: WebSocket | undefined
    let isAccepted = false
    let isStopped = false
    let tries = 0
    let retry: NodeJS.Timeout | undefined
    let lastTrouble = ''
    let toldReasons = ''
    let refused: Welcome['refused'] = []
    let stopping: Promise<void> | undefined

    const isOpen = () => socket?.readyState === WebSocket.OPEN
    const host = createAgentHost({
      agents,
      warn,
      send(text) {
        if (isOpen()) socket?.send(text, () => host.resume())
      },
      hasRoom: () => (socket?.bufferedAmount ?? 0) < mostUnsent,
      welcome: told => welcome(told),
    })
    const hello = host.hello({ name, slots, ...(version === undefined ? {} : { version }) })
    /** Resolves when the server has taken what was sent last: the process may end then. */
    const finish = (): Promise<void> => {
      isStopped = true
      clearTimeout(retry)
      process.removeListener('SIGTERM', terminate)
      return new Promise(resolve => {
        if (socket === undefined || socket.readyState === WebSocket.CLOSED) return resolve()
        socket.once('close', () => resolve())
        socket.close(1000)
      })
    }
    const fail = (error: Error) => {
      void finish()
      reject(error)
    }
    /** Tells each trouble once, and not again at each try. */
    const tellTrouble = (trouble: string) => {
      if (trouble !== lastTrouble) warn(`${server} ${trouble}; the worker tries again`)
      lastTrouble = trouble
    }
    const welcome = (told: Welcome) => {
      refused = told.refused ?? []
      const reasons = refused.map(({ name: agent, reason }) => `${agent}: ${reason}`).join('; ')
      if (told.agents.length === 0) {
        const message = `refuses every agent of this worker (${reasons})`
        return isAccepted ? tellTrouble(message) : fail(new WorkerRefused(`${server} ${message}`))
      }
      if (refused.length > 0 && reasons !== toldReasons)
        warn(`${server} refuses some agents of this worker (${reasons})`)
      toldReasons = reasons
      tries = 0
      lastTrouble = ''
      isAccepted = true
      resolve(result)
    }
    const again = () => {
      if (isStopped || stopping !== undefined) return
      const longest = Math.min(firstWaitMs * 2 ** tries++, longestWaitMs)
      retry = setTimeout(connect, longest * (0.5 + Math.random() / 2))
    }
    const connect = () => {
      const connection = new WebSocket(address, {
        ...socketOptions,
        headers: { authorization: `Bearer ${token}` },
      })
      socket = connection
      let heardAt = Date.now()
      const hear = () => {
        heardAt = Date.now()
      }
      const look = setInterval(() => {
        if (Date.now() - heardAt > silenceMs) connection.terminate()
        else if (connection.readyState === WebSocket.OPEN) connection.ping()
      }, lookMs)
      connection.on('open', () => connection.send(hello))
      connection.on('ping', hear)
      connection.on('pong', hear)
      connection.on('message', data => {
        hear()
        host.take(JSON.parse(String(data)))
      })
      connection.on('unexpected-response', (request, response) => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', (text: string) => {
          body = `${body}${text}`.slice(0, longestAnswer)
        })
        response.on('close', () => {
          const status = response.statusCode ?? 0
          const refusal = refusalOf(status, body)
          if ((status === 401 || status === 403) && !isAccepted)
            fail(new WorkerRefused(`${server} refuses the token of this worker (${refusal})`, status))
          else tellTrouble(`answers ${refusal}`)
          request.destroy()
          connection.emit('close', 1006, Buffer.from(''))
        })
      })
      connection.on('error', error => {
        if (connection.readyState !== WebSocket.CLOSED || !isStopped)
          tellTrouble(`cannot be reached (${error.message})`)
      })
      connection.once('close', (code: number, reason: Buffer) => {
        clearInterval(look)
        void host.lost()
        const why = String(reason)
        if (why !== '' && !isStopped) tellTrouble(`has closed the connection (${code} ${why})`)
        again()
      })
    }
    const stop = (): Promise<void> => {
      stopping ??= host.stop().then(finish)
      return stopping
    }
    /** SIGTERM ends the process after the hand-over, unless the program listens to it itself. */
    const terminate = () => {
      void stop().then(() => {
        if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM')
      })
    }
    const result: Worker = {
      get refused() {
        return refused ?? []
      },
      stop,
    }
    if (signals) process.on('SIGTERM', terminate)
    connect()
  })
