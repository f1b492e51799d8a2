// Opens a WebSocket at the owner for a client, and joins the two sockets.
import type { IncomingMessage } from 'node:http'
import { type Duplex, pipeline } from 'node:stream'
import type { Outcome } from './forward-request.ts'
import { notOwnerHeader } from './inside-headers.ts'
import { answerHeaders, requestHeaders } from './passed-headers.ts'
import type { Peers } from './peers.ts'

export type Upgrade = {
  request: IncomingMessage
  socket: Duplex
  /** What the client has sent behind its request. */
  head: Buffer
}

const headOf = (answer: IncomingMessage, headers: string[]): string => {
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`]
  for (let n = 0; n < headers.length; n += 2) lines.push(`${headers[n]}: ${headers[n + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Lets each of two sockets send to the other one. When one of them breaks, the other one does, too. */
const join = (one: Duplex, other: Duplex): void => {
  pipeline(one, other, () => {})
  pipeline(other, one, () => {})
}

const changing = ['connection', 'Upgrade', 'upgrade', 'websocket']

/** Asks the node at `url` for a WebSocket. Rejects when a header cannot be sent. */
export const forwardUpgrade = async (
  peers: Peers,
  { request, socket, head }: Upgrade,
  url: string,
): Promise<Outcome> => {
  const { method = '', url: path = '' } = request
  const outgoing = peers.send(url, { method, path, headers: [...requestHeaders(request), ...changing] })
  return new Promise(resolve => {
    const clientGone = () => {
      outgoing.destroy()
      resolve('answered')
    }
    const answered = () => {
      socket.off('close', clientGone)
      resolve('answered')
    }
    socket.once('close', clientGone)
    outgoing
      .on('error', () => {})
      .once('close', () => {
        socket.off('close', clientGone)
        resolve('untaken') // no WebSocket was opened, so the owner has done nothing
      })
    outgoing.once('upgrade', (answer, ownerSocket, ownerHead) => {
      answered()
      peers.track(url, ownerSocket)
      socket.write(
        Buffer.concat([
          Buffer.from(headOf(answer, [...answerHeaders(answer), ...changing]), 'latin1'),
          ownerHead,
        ]),
      )
      if (head.length > 0) ownerSocket.write(head)
      join(socket, ownerSocket)
    })
    outgoing.once('response', answer => {
      if (answer.headers[notOwnerHeader] !== undefined) return void outgoing.destroy()
      answered()
      socket.write(headOf(answer, [...answerHeaders(answer), 'connection', 'close']), 'latin1')
      pipeline(answer, socket, () => {})
    })
    outgoing.end()
  })
}
