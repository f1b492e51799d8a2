// Sends a request on to the owner, and the answer back to the client. The body follows only when the owner has said
// with the status 100 that it takes the request. So until then the request can still be sent to another node, however
// long its body is.
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { emptyBody, hasBody } from './body-length.ts'
import { notOwnerHeader, waitsHeader } from './inside-headers.ts'
import { answerHeaders, requestHeaders } from './passed-headers.ts'
import type { PassingBody } from './passing-body.ts'
import type { Peers } from './peers.ts'

/**
 * `answered`: the answer has begun, or the client is gone. `untaken`: the owner did nothing with the request.
 * `lost`: the node has gone, or does not own the log any more. It may have carried the request out.
 */
export type Outcome = 'answered' | 'untaken' | 'lost'

/** A request that passes through this node. */
export type Passing = {
  request: IncomingMessage
  response: ServerResponse
  body: PassingBody
  /** Whether the client waits for a 100 before it sends the body. */
  awaits100: boolean
  /** Whether the request can be sent again although a node has taken it. */
  mayRepeat(): boolean
}

/** Empty bytes, which are written so that the head is sent at once. `flushHeaders` would send it as UTF-8. */
const nothing = Buffer.alloc(0)

const passAnswer = (answer: IncomingMessage, { request, response }: Passing): void => {
  const closes = !request.complete && /\bclose\b/i.test(answer.headers.connection ?? '')
  const headers = [...answerHeaders(answer), ...(closes ? ['connection', 'close'] : [])]
  response.sendDate = false
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers)
  // An answer of unknown length may be a stream whose first bytes come much later, so its head is sent now.
  if (answer.headers['content-length'] === undefined) response.write(nothing)
  pipeline(answer, response, () => {})
}

const isOfFormerOwner = ({ headers }: IncomingMessage): boolean => headers[notOwnerHeader] !== undefined

/**
 * Sends a request without a body. Calls `taken` when there is a connection, since the owner may have the request then.
 */
const sendEmpty = (outgoing: ClientRequest, taken: () => void): void => {
  outgoing.once('socket', socket => (socket.connecting ? socket.once('connect', taken) : taken()))
  outgoing.end()
}

/** Sends the body as soon as the owner wants it, and calls `taken` before. */
const sendBody = (outgoing: ClientRequest, passing: Passing, taken: () => void): void => {
  outgoing.once('continue', () => {
    taken()
    if (passing.awaits100) passing.response.writeContinue()
    passing.awaits100 = false
    passing.body.sendTo(outgoing)
  })
  outgoing.write(nothing)
}

/** Sends a request to the node at `url`. Rejects when a header cannot be sent. */
export const forwardRequest = async (peers: Peers, passing: Passing, url: string): Promise<Outcome> => {
  const { request, response, body } = passing
  const { method = '', url: path = '' } = request
  const isLong = hasBody(request)
  const more = isLong ? [waitsHeader, '1'] : emptyBody(request)
  const outgoing = peers.send(url, { method, path, headers: [...more, ...requestHeaders(request)] })
  return new Promise(resolve => {
    let isTaken = false
    let isOver = false
    const taken = () => {
      isTaken = true
    }
    const clientGone = () => {
      if (!response.writableFinished) outgoing.destroy()
      resolve('answered')
    }
    const ended = () => {
      if (isOver) return
      isOver = true
      body.leave(outgoing)
      if (response.headersSent) return void (isTaken && request.resume()) // discards the rest of the body
      response.off('close', clientGone)
      resolve(isTaken ? 'lost' : 'untaken')
    }
    response.once('close', clientGone)
    outgoing.on('error', ended).once('close', ended)
    outgoing.once('response', answer => {
      if (isOfFormerOwner(answer)) {
        const isRefused = answer.statusCode === 508 && !(isTaken && isLong)
        if (isRefused) isTaken = false
        if (isRefused || (answer.statusCode === 503 && passing.mayRepeat())) return void outgoing.destroy()
      }
      if (isLong && !isTaken) answer.once('close', () => outgoing.destroy())
      passAnswer(answer, passing)
      resolve('answered')
    })
    if (isLong) sendBody(outgoing, passing, taken)
    else sendEmpty(outgoing, taken)
  })
}
