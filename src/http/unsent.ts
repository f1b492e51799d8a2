// What the server holds in memory for readers that take it slowly. After an erasure it must not be sent any more, and nobody
// can tell what is in these bytes. So an erasure waits a moment for the readers, and then cuts the others off.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Milliseconds for which an erasure waits for readers. */
const patienceMs = 1000
const lookMs = 10

const isSocket = (stream: Duplex): stream is Socket => 'bytesWritten' in stream

/** How many bytes of a connection the operating system has taken. */
const takenOf = (socket: Socket): number => socket.bytesWritten - socket.writableLength

/** Knows the connections of all requests of a server. */
export const watchUnsent = (server: Server, patience = patienceMs) => {
  const open = new Set<Socket>()
  const watch = (socket: Duplex): void => {
    if (!isSocket(socket) || open.has(socket)) return
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  }
  server.on('request', ({ socket }: IncomingMessage) => watch(socket))
  server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => watch(socket))
  return {
    /** Resolves when all that is held now has left the server, or its connection was cut. */
    async settle(): Promise<void> {
      let late = [...open]
        .filter(({ writableLength }) => writableLength > 0)
        .map(socket => ({ socket, upTo: socket.bytesWritten }))
      const end = performance.now() + patience
      while (late.length > 0 && performance.now() < end) {
        await new Promise(resolve => setTimeout(resolve, lookMs))
        late = late.filter(({ socket, upTo }) => !socket.destroyed && takenOf(socket) < upTo)
      }
      for (const { socket } of late) socket.resetAndDestroy() // what the system holds for them goes, too
    },
  }
}
