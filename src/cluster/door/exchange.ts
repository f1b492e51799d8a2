// A request, or a request for a WebSocket, in the form in which the switchboard handles both.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Answer } from '../../http/errors.ts'
import { hasBody } from './body-length.ts'
import { forwardRequest, type Outcome } from './forward-request.ts'
import { forwardUpgrade, type Upgrade } from './forward-upgrade.ts'
import type { Peers } from './peers.ts'
import { endSocket, sendAnswer } from './send-answer.ts'

/** Takes the requests of a server. */
export type Handler = {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export type Exchange = {
  request: IncomingMessage
  /** Whether it can be sent again after a node has taken it. */
  isSafe: boolean
  /** Emits `close` when the client has gone. */
  client: Duplex | ServerResponse
  /** Lets a handler of this node answer. */
  serve(handler: Handler): void
  /** Lets the node at `url` answer. */
  forward(url: string): Promise<Outcome>
  refuse(answer: Answer): void
}

type Deps = { peers: Peers; newId: () => string }

export const plainExchange = (
  { peers, newId }: Deps,
  given: { request: IncomingMessage; response: ServerResponse; awaits100: boolean },
): Exchange => {
  const { request, response } = given
  return {
    request,
    isSafe: /^(GET|HEAD)$/.test(request.method ?? '') && !hasBody(request),
    client: response,
    serve(handler) {
      if (given.awaits100) response.writeContinue()
      handler.request(request, response)
    },
    forward: url => forwardRequest(peers, given, url),
    refuse: answer => sendAnswer(response, answer, newId()),
  }
}

export const upgradeExchange = ({ peers, newId }: Deps, given: Upgrade): Exchange => {
  const { request, socket, head } = given
  const ignore = () => {}
  socket.on('error', ignore)
  return {
    request,
    isSafe: true,
    client: socket,
    serve(handler) {
      socket.off('error', ignore)
      handler.upgrade(request, socket, head)
    },
    forward: url => forwardUpgrade(peers, given, url),
    refuse: answer => endSocket(socket, answer, newId()),
  }
}
