// Sends a request on to the owner, and its answer back. The body follows when the owner has said with a 100 that it takes
// the request. So until then the request can still be sent to another node, however long its body is.
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { emptyBody, hasBody } from './body-length.ts'
import { notOwnerHeader, waitsHeader } from './inside-headers.ts'
import { answerHeaders, requestHeaders } from './passed-headers.ts'
import type { Peers } from './peers.ts'

/**
 * `answered`: the answer has begun, or the client is gone. `untaken`: the owner did nothing with the request.
 * `lost`: the owner is gone, and may have done what the request asks for.
 */
export type Outcome = 'answered' | 'untaken' | 'lost'

export type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  /** Whether the client waits for a 100 before it sends the body. */
  awaits100: boolean
}

/** Written to send the head at once. `flushHeaders` would send it as UTF-8. */
const nothing = Buffer.alloc(0)

const passAnswer = (answer: IncomingMessage, { request, response }: Exchange): void => {
  const closes = !request.complete && /\bclose\b/i.test(answer.headers.connection ?? '')
  const headers = [...answerHeaders(answer), ...(closes ? ['connection', 'close'] : [])]
  response.sendDate = false
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers)
  // A stream may begin long before its first bytes.
  if (answer.headers['content-length'] === undefined) response.write(nothing)
  pipeline(answer, response, () => {})
}

const isRefused = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode === 508 && headers[notOwnerHeader] !== undefined

/** Calls `taken` when the owner has got a request without a body. */
const sendEmpty = (outgoing: ClientRequest, taken: () => void): void => {
  outgoing.once('socket', socket => (socket.connecting ? socket.once('connect', taken) : taken()))
  outgoing.end()
}

/** Sends the body as soon as the owner wants it, and calls `taken` before. */
const sendBody = (outgoing: ClientRequest, exchange: Exchange, taken: () => void): void => {
  outgoing.once('continue', () => {
    taken()
    if (exchange.awaits100) exchange.response.writeContinue()
    exchange.awaits100 = false
    exchange.request.pipe(outgoing)
  })
  outgoing.write(nothing)
}

/** Sends a request to the node at `url`. Rejects when a header cannot be sent. */
export const forwardRequest = async (peers: Peers, exchange: Exchange, url: string): Promise<Outcome> => {
  const { request, response } = exchange
  const { method = '', url: path = '' } = request
  const isLong = hasBody(request)
  const more = isLong ? [waitsHeader, '1'] : emptyBody(request)
  const outgoing = peers.send(url, { method, path, headers: [...requestHeaders(request), ...more] })
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
      request.unpipe(outgoing)
      if (response.headersSent) return void (isTaken && request.resume()) // nothing reads the rest of the body
      response.off('close', clientGone)
      resolve(isTaken ? 'lost' : 'untaken')
    }
    response.once('close', clientGone)
    outgoing.on('error', ended).once('close', ended)
    outgoing.once('response', answer => {
      if (isRefused(answer) && !(isTaken && isLong)) {
        isTaken = false
        return void outgoing.destroy()
      }
      if (isLong && !isTaken) answer.once('close', () => outgoing.destroy())
      passAnswer(answer, exchange)
      resolve('answered')
    })
    if (isLong) sendBody(outgoing, exchange, taken)
    else sendEmpty(outgoing, taken)
  })
}
