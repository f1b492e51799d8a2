// Hands requests to the front of the shard while this node owns the shard. When the node gives the shard up, open
// requests get a moment to end, and then their connections are closed.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Milliseconds that open requests have to finish. Then their connections are closed. */
const endingMs = 500

/** `server`: the server of the front. It listens on no port, and handles the requests that it is given. */
export const createOwnRequests = (server: Server) => {
  /** The sockets of what is open. One socket may have several requests: a client need not wait for each answer. */
  const open = new Map<ServerResponse | Duplex, Duplex>()
  const follow = (socket: Duplex, ends: ServerResponse | Duplex) => {
    open.set(ends, socket)
    ends.once('close', () => open.delete(ends))
  }
  return {
    request(request: IncomingMessage, response: ServerResponse): void {
      follow(request.socket, response)
      server.emit('request', request, response)
    },
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      follow(socket, socket)
      server.emit('upgrade', request, socket, head)
    },
    /** Resolves when no request is open. */
    async close(): Promise<void> {
      const until = performance.now() + endingMs
      while (open.size > 0 && performance.now() < until) await new Promise(resolve => setTimeout(resolve, 10))
      for (const socket of open.values()) socket.destroy()
    },
  }
}
export type OwnRequests = ReturnType<typeof createOwnRequests>
