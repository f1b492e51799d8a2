// Tells requests for a WebSocket at /ws or /v1/workers from other requests that ask for another protocol. The server
// treats the others as plain requests: HTTP allows a server to ignore the wish for another protocol.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** The path at which workers connect. */
export const workerPath = '/v1/workers'

export const pathOfRequest = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

export const isWebSocket = (request: IncomingMessage): boolean =>
  request.method === 'GET' &&
  ['/ws', workerPath].includes(pathOfRequest(request)) &&
  request.headers.upgrade?.toLowerCase() === 'websocket'

/** Handles a request that asked for another protocol as a plain HTTP request. */
export const passOver = (server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void => {
  const { method = '', url = '', httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const [name = '', value = ''] = rawHeaders.slice(n, n + 2)
    const isUpgrade = ['upgrade', 'connection', 'http2-settings'].includes(name.toLowerCase())
    if (!isUpgrade) lines.push(`${name}: ${value}`)
  }
  if (/\bclose\b/i.test(request.headers.connection ?? '')) lines.push('Connection: close')
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', socket)
}
