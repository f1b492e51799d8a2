// Sends requests to other nodes. The HTTP client of Node.js is used, since it keeps the spelling and the order of
// headers, says when a node wants the body, and hands over sockets that have changed their protocol.
import http, { type ClientRequest } from 'node:http'
import https from 'node:https'
import type { Timers } from '../../contract/ports.ts'
import type { Hops } from './hop.ts'
import { hopHeader } from './inside-headers.ts'

/**
 * An idle connection is closed after this many milliseconds. The node at its other end would close it only later, so no
 * request is sent while that node closes the connection.
 */
const idleMs = 30_000
/** Milliseconds that the making of a connection may take. */
const connectMs = 1000
/** The largest size of the headers of an answer, in bytes. */
const maxHeaderSize = 65_536

type Sent = { method: string; path: string; headers: string[] }
type Ended = { destroy(error?: Error): unknown; once(event: 'close', listener: () => void): unknown }

export const createPeers = ({ hops, timers }: { hops: Pick<Hops, 'sign'>; timers: Timers }) => {
  const options = { keepAlive: true, timeout: idleMs, keepAliveInitialDelay: 10_000, maxFreeSockets: 256 }
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  const underWay = new Map<Ended, string>()

  const watchConnecting = (outgoing: ClientRequest): void =>
    void outgoing.once('socket', socket => {
      if (!socket.connecting) return
      const cancel = timers.after(connectMs, () => outgoing.destroy(new Error('the node does not answer')))
      socket.once('connect', cancel).once('close', cancel)
    })
  /** Notes that a request or a socket depends on a node until it closes. */
  const track = (url: string, thing: Ended): void => {
    underWay.set(thing, url)
    thing.once('close', () => underWay.delete(thing))
  }
  return {
    track,
    /** Begins a signed request to the node at `url`. Throws when a header cannot be sent. */
    send(url: string, { method, path, headers }: Sent): ClientRequest {
      const { protocol, hostname, port } = new URL(url)
      const isSecure = protocol === 'https:'
      const outgoing = (isSecure ? https : http).request({
        agent: isSecure ? agents['https:'] : agents['http:'],
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        method,
        path,
        // This header comes first, since Node.js drops the last ones when there are very many.
        headers: [hopHeader, hops.sign({ method, path }).text, ...headers],
        maxHeaderSize,
      })
      watchConnecting(outgoing)
      track(url, outgoing)
      return outgoing
    },
    /** Ends everything that depends on a node other than that at `url`. */
    cutAllBut(url: string): void {
      for (const [thing, at] of [...underWay])
        if (at !== url) thing.destroy(new Error('another node owns the event log now'))
    },
    /** Closes idle connections, and ends everything that depends on a node. */
    close(): void {
      for (const thing of [...underWay.keys()]) thing.destroy()
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}
export type Peers = ReturnType<typeof createPeers>
