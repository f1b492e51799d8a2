// The door of the shard that this node owns: requests go to its front. When the shard is given up, requests that are
// still open get a moment to end, and then their connections are closed.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Milliseconds for which open requests may still end. */
const endingMs = 500

/** `server`: the server of the front. It listens nowhere, and handles what it is given. */
export const createLocalDoor = (server: Server) => {
  const open = new Set<Duplex>()
  const follow = (socket: Duplex, ends: { once(event: 'close', done: () => void): unknown }) => {
    open.add(socket)
    ends.once('close', () => open.delete(socket))
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
      for (const socket of open) socket.destroy()
    },
  }
}
export type LocalDoor = ReturnType<typeof createLocalDoor>
