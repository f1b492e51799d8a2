// Handles the requests of a node's HTTP server. A client can ask any node: the node answers, or sends the request on to
// the node that owns the event log.
import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { World } from '../../contract/ports.ts'
import { isWebSocket, passOver } from '../../http/server/upgrade.ts'
import { clocksDiffer, isAlive, notFound, unreadable } from './answers.ts'
import { createAsked } from './asked.ts'
import { createBufferedBodies } from './buffered-bodies.ts'
import { type Handler, plainExchange, upgradeExchange } from './exchange.ts'
import type { Upgrade } from './forward-upgrade.ts'
import { isTooLong } from './head-length.ts'
import type { Hop, Hops, UntimelyHop } from './hop.ts'
import { createLateAnswers } from './late-answers.ts'
import { keysPath } from './node-routes.ts'
import { createPeers } from './peers.ts'
import { createRoute, type Owner } from './route.ts'
import type { Answers } from './send-answer.ts'

type Deps = {
  owner(): Owner
  /** The routes of the server while this node is the owner; undefined: they are not open yet. */
  local(): Handler | undefined
  /** By path: answers to GET and HEAD that this node gives itself while it is not the owner. */
  own: ReadonlyMap<string, Handler['request']>
  /** Answers requests of other nodes below /cluster/. */
  nodeRoutes(request: IncomingMessage, response: ServerResponse, hop: Hop): void
  /** Called when another node asks for keys, and its clock differs too much. */
  clockDiffers(node: string, aheadMs: number): void
  /** Whether an owner recognizes the request when it comes again, and then does nothing a second time. */
  isRecognized(request: IncomingMessage): boolean
  answers: Answers
  /** The name of this node. */
  node: string
  hops: Hops
  world: Pick<World, 'clock' | 'timers'>
  stopping: AbortSignal
  /** A request waits for an owner for at most this many milliseconds. */
  holdMs?: number
}

/** Milliseconds that a node has to finish its answers when another node has become the owner. */
const graceMs = 1000

export const createSwitchboard = (deps: Deps) => {
  const { owner, local, own, nodeRoutes, isRecognized, answers, node, hops, stopping } = deps
  const { holdMs = 15_000 } = deps
  const { clock, timers } = deps.world
  setMaxListeners(0, stopping)
  const peers = createPeers({ hops, timers })
  const bodies = createBufferedBodies()
  const forExchange = { peers, bodies, isRecognized, answers }
  const late = createLateAnswers(node)
  const { route, changed, held } = createRoute({ owner, local, node, holdMs, clock, timers, stopping })
  const ask = createAsked(hops)
  const alive: Handler['request'] = (_, response) => answers.send(response, isAlive)
  const isLocal = () => owner() === 'me' && local() !== undefined

  const ownAnswer = ({ method }: IncomingMessage, path: string): Handler['request'] | undefined => {
    if ((method !== 'GET' && method !== 'HEAD') || isLocal()) return undefined
    return own.get(path) ?? (path === '/healthz' ? alive : undefined)
  }
  const tooFar = (hop: UntimelyHop) => clocksDiffer(node, hop, hops.tellTime(hop.nonce))
  const take = (request: IncomingMessage, response: ServerResponse, awaits100: boolean): void => {
    const asked = ask(request)
    if (asked.untimely !== undefined) {
      if (request.url === keysPath) deps.clockDiffers(asked.untimely.node, asked.untimely.aheadMs)
      return void answers.send(response, tooFar(asked.untimely))
    }
    if (asked.hop === undefined && isTooLong(request)) return void answers.send(response, unreadable)
    const path = request.url?.split('?', 1)[0] ?? ''
    if (path === '/cluster' || path.startsWith('/cluster/')) {
      if (asked.hop === undefined) return void answers.send(response, notFound)
      return void nodeRoutes(request, response, asked.hop)
    }
    const answer = ownAnswer(request, path)
    if (answer !== undefined) return void answer(request, response)
    if (asked.hop !== undefined) late.owe(response)
    const given = { request, response, awaits100: awaits100 || asked.waits === true }
    void route(plainExchange(forExchange, given), asked)
  }
  const takeUpgrade = (upgrade: Upgrade): void => {
    const { request, socket } = upgrade
    const asked = ask(request)
    if (asked.untimely !== undefined) return void answers.end(socket, request, tooFar(asked.untimely))
    if (asked.hop === undefined && isTooLong(request)) return void answers.end(socket, request, unreadable)
    void route(upgradeExchange(forExchange, upgrade), asked)
  }
  const cutOthers = (): void => {
    const now = owner()
    if (now !== undefined) peers.cutAllBut(now === 'me' ? '' : now.url)
  }
  return {
    /** Takes all requests of a server. */
    attach(server: Server): void {
      server.on('request', (request, response) => take(request, response, false))
      server.on('checkContinue', (request, response) => take(request, response, true))
      // Node.js would answer an unknown `Expect` with 417 and no body. The header may be ignored.
      server.on('checkExpectation', (request, response) => take(request, response, false))
      server.on('upgrade', (request, socket, head) => {
        if (!isWebSocket(request)) return void passOver(server, request, socket, head)
        takeUpgrade({ request, socket, head })
      })
    },
    /**
     * Called when another node may be the owner now. Waiting requests continue. Requests and sockets that depend on a
     * former owner are ended after `graceMs`.
     */
    changed(): void {
      if (owner() !== 'me') late.mark()
      changed()
      timers.after(graceMs, cutOthers)
    },
    /** How many requests wait for an owner. */
    held,
    /** How many bytes of bodies are buffered, to be sent again if the owner is lost. */
    bufferedBytes: bodies.bytes,
    /** Ends the connections to other nodes. */
    close: peers.close,
  }
}
