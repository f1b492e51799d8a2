// Nodes with real HTTP servers and a switchboard each, whose roles the test decides.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Test } from 'tap'
import { clusterKeysOf } from '../../src/cluster/cluster-key.ts'
import type { Handler } from '../../src/cluster/gateway/exchange.ts'
import { longestHead } from '../../src/cluster/gateway/head-length.ts'
import { createHops, type Hop } from '../../src/cluster/gateway/hop.ts'
import type { Owner } from '../../src/cluster/gateway/route.ts'
import { createAnswerSender } from '../../src/cluster/gateway/send-answer.ts'
import { createSwitchboard } from '../../src/cluster/gateway/switchboard.ts'
import { createAnswerForms } from '../../src/http/request/answer-form.ts'
import { isRecognized } from '../../src/http/request/recognized.ts'
import { realWorld } from '../../src/platform/world.ts'

export const clusterKeys = clusterKeysOf(Buffer.alloc(32, 5))
export const world = realWorld()
export const answersOf = (allowedOrigins: string[] = []) =>
  createAnswerSender(
    createAnswerForms({ allowedOrigins, publicUrl: undefined }, () => world.ids.next('req_')),
  )

type Options = {
  name: string
  owner?: Owner
  request?: (request: IncomingMessage, response: ServerResponse) => void
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  own?: ReadonlyMap<string, Handler['request']>
  nodeRoutes?: (request: IncomingMessage, response: ServerResponse, hop: Hop) => void
  allowedOrigins?: string[]
  holdMs?: number
  /** Milliseconds by which its clock is wrong. */
  skewMs?: number
  clockDiffers?: (node: string, aheadMs: number) => void
}

/** A node that listens. `become` says which node it takes for the owner. */
export const nodeHere = async (t: Test, options: Options) => {
  const {
    name,
    request = (_, response) => response.end(name),
    upgrade = () => {},
    clockDiffers = () => {},
  } = options
  let owner: Owner = options.owner
  let { skewMs = 0 } = options
  const stopping = new AbortController()
  const own = { ...world, clock: { now: () => Date.now() + skewMs } }
  const hops = createHops({ key: clusterKeys.hops, node: name, world: own })
  const board = createSwitchboard({
    owner: () => owner,
    local: () => ({ request, upgrade }),
    own: options.own ?? new Map(),
    nodeRoutes: options.nodeRoutes ?? ((_, response) => response.end('node')),
    isRecognized,
    answers: answersOf(options.allowedOrigins),
    node: name,
    hops,
    world: own,
    clockDiffers,
    stopping: stopping.signal,
    holdMs: options.holdMs ?? 5000,
  })
  const server: Server = createServer({ maxHeaderSize: longestHead })
  board.attach(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const { port } = server.address() as AddressInfo
  const close = () => {
    board.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  t.teardown(close)
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    hops,
    board,
    stopping,
    setSkew(ms: number) {
      skewMs = ms
    },
    become(now: Owner) {
      owner = now
      board.changed()
    },
    /** Everything that depends on this node breaks, as when its process is killed. */
    die: close,
  }
}
export type Node = Awaited<ReturnType<typeof nodeHere>>

/** An owner with a handler, and a standby that sends requests on to it. */
export const pairHere = async (
  t: Test,
  options: Partial<Options> = {},
  standbyOptions: Partial<Options> = {},
) => {
  const owner = await nodeHere(t, { name: 'a', owner: 'me', ...options })
  const standby = await nodeHere(t, { name: 'b', owner: { url: owner.url }, ...standbyOptions })
  return { owner, standby }
}

/** Sends bytes to a port, and resolves with everything that comes back until the server ends the connection. */
export const exchange = async (port: number, sent: string | Buffer): Promise<string> => {
  const socket = net.connect(port, '127.0.0.1')
  socket.write(sent)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

/** A promise with its resolver. */
export const moment = <T = void>() => {
  let happen: (value: T) => void = () => {}
  const came = new Promise<T>(resolve => {
    happen = resolve
  })
  return { came, happen }
}

/** The whole body of a message. */
export const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}
