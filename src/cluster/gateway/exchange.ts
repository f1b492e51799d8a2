// Gives plain requests and requests for a WebSocket one common form, so that the switchboard handles both in one way.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { hasBody } from './body-length.ts'
import type { BufferedBodies } from './buffered-bodies.ts'
import { forwardRequest, type Outcome } from './forward-request.ts'
import { forwardUpgrade, type Upgrade } from './forward-upgrade.ts'
import { createPassingBody } from './passing-body.ts'
import type { Peers } from './peers.ts'
import type { Answers, Said } from './send-answer.ts'

/** Takes the requests of a server. */
export type Handler = {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export type Exchange = {
  request: IncomingMessage
  /** Whether the request changes nothing. */
  isSafe: boolean
  /** Whether the request can be sent again after a node has taken it. */
  mayRepeat(): boolean
  /** Emits `close` when the client has gone. */
  client: Duplex | ServerResponse
  /** Lets a handler of this node answer. */
  serve(handler: Handler): void
  /** Lets the node at `url` answer. */
  forward(url: string): Promise<Outcome>
  refuse(said: Said): void
}

type Deps = {
  peers: Peers
  bodies: BufferedBodies
  /** Whether an owner recognizes the request when it comes again, and then does nothing a second time. */
  isRecognized(request: IncomingMessage): boolean
  answers: Answers
}

export const plainExchange = (
  { peers, bodies, isRecognized, answers }: Deps,
  given: { request: IncomingMessage; response: ServerResponse; awaits100: boolean },
): Exchange => {
  const { request, response } = given
  const isSafe = /^(GET|HEAD)$/.test(request.method ?? '') && !hasBody(request)
  const hasKey = isRecognized(request)
  const body = createPassingBody(request, hasKey, bodies)
  const mayRepeat = () => isSafe || (hasKey && body.isWhole())
  const passing = { ...given, body, mayRepeat }
  response.once('close', body.free)
  return {
    request,
    isSafe,
    mayRepeat,
    client: response,
    serve(handler) {
      if (passing.awaits100) response.writeContinue()
      const whole = body.whole()
      if (whole !== request) response.once('close', () => whole.destroy())
      handler.request(whole, response)
      body.free()
    },
    async forward(url) {
      const outcome = await forwardRequest(peers, passing, url)
      if (outcome === 'answered') body.free()
      return outcome
    },
    refuse: said => answers.send(response, said),
  }
}

export const upgradeExchange = (
  { peers, answers }: Pick<Deps, 'peers' | 'answers'>,
  given: Upgrade,
): Exchange => {
  const { request, socket, head } = given
  const ignore = () => {}
  socket.on('error', ignore)
  return {
    request,
    isSafe: true,
    mayRepeat: () => true,
    client: socket,
    serve(handler) {
      socket.off('error', ignore)
      handler.upgrade(request, socket, head)
    },
    forward: url => forwardUpgrade(peers, given, url),
    refuse: said => answers.end(socket, request, said),
  }
}
