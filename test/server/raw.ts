// A request written to a socket by hand, so that every byte of the answer, and how the connection ends, is seen.
import { connect } from 'node:net'
import { adminToken } from '../support/server.ts'

/** Sends a request; `received` is what came so far, `over` how the connection ended. */
export const rawRequest = (
  url: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) => {
  const { hostname, port, host } = new URL(url)
  const text = body === undefined ? '' : JSON.stringify(body)
  const all: Record<string, string> = {
    host,
    authorization: `Bearer ${adminToken}`,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(text)}` }),
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname)
  socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${text}`)
  let received = ''
  socket.on('data', chunk => (received += chunk))
  socket.on('error', () => {})
  return {
    received: () => received,
    over: new Promise<string>(resolve => socket.on('close', () => resolve(received))),
  }
}

/** The status, headers and body of a raw answer; `whole` says whether the body came to its proper end. */
export const answerIn = (received: string) => {
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  const body = rest.join('\r\n\r\n')
  const whole =
    headers['transfer-encoding'] === 'chunked'
      ? received.endsWith('0\r\n\r\n')
      : Buffer.byteLength(body) === Number(headers['content-length'] ?? Number.NaN)
  return { status: Number(first.split(' ')[1]), headers, body, whole }
}
