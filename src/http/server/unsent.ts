// Finds the bytes that the server holds in memory for slow readers. These bytes may contain erased data, which must not
// be sent after an erasure. So an erasure waits a moment for the readers, and then cuts off the readers that have still
// not taken their bytes.

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Members } from '../../platform/transient.ts'

/** Milliseconds for which an erasure waits for readers. */
const patienceMs = 1000
const lookMs = 10

const isSocket = (stream: Duplex): stream is Socket => 'bytesWritten' in stream

/** How many bytes of a connection the operating system has taken. */
const takenOf = (socket: Socket): number => socket.bytesWritten - socket.writableLength

/** Knows the connections of all requests of a server. */
export const watchUnsent = (server: Server, patience = patienceMs) => {
  const open = new Members<Socket>()
  /** The connections that are watched already: one connection has many requests. */
  const known = new WeakSet<Socket>()
  const watch = (socket: Duplex): void => {
    if (!isSocket(socket) || known.has(socket)) return
    known.add(socket)
    socket.once('close', open.join(socket))
  }
  server.on('request', ({ socket }: IncomingMessage) => watch(socket))
  server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => watch(socket))
  return {
    /** Resolves when all bytes that are held now have left the server, or their connections were cut. */
    async settle(): Promise<void> {
      let late = [...open]
        .filter(({ writableLength }) => writableLength > 0)
        .map(socket => ({ socket, upTo: socket.bytesWritten }))
      const end = performance.now() + patience
      while (late.length > 0 && performance.now() < end) {
        await new Promise(resolve => setTimeout(resolve, lookMs))
        late = late.filter(({ socket, upTo }) => !socket.destroyed && takenOf(socket) < upTo)
      }
      for (const { socket } of late) socket.resetAndDestroy() // drops what the system holds, too
    },
  }
}
