// The body of an answer that stays open, and the bytes that are written into it. Bytes for many streams are made once,
// with the frame of a chunk around them, and are written directly to the socket: the response object would frame them
// again for each of a thousand streams and write them in pieces, which costs more than the system's write itself.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Piece, Pieces } from '../../platform/pieces.ts'
import { writeHead } from '../answer/head.ts'
import { type Prepared, prepared } from '../answer/prepared.ts'
import { heartbeat, opening, streamHeaders } from './sse.ts'

const preparedHeartbeat = prepared(Buffer.from(heartbeat))

/** Passes pieces on. `note` is called with true before the first of them, and with false after the last. */
async function* noted(pieces: Pieces, note: (isUnderWay: boolean) => void): AsyncGenerator<Piece> {
  note(true)
  try {
    yield* pieces
  } finally {
    note(false)
  }
}

/**
 * Writes the head of a stream and its first bytes. The socket sends both at the end of this turn of the event loop, so
 * that frames that are ready leave in the same packet.
 */
export const openBody = (request: FastifyRequest, reply: FastifyReply, first = '') => {
  reply.hijack()
  const { raw } = reply
  const { socket } = request.raw
  socket.setNoDelay(true)
  socket.cork()
  setImmediate(() => socket.uncork())
  writeHead(reply, streamHeaders(request.raw))
  raw.write(`${opening}${first}`)

  // HTTP/1.0 has no chunks. The answer to a request that was sent behind another one must wait for the end of the other
  // answer.
  const isDirect = () => raw.chunkedEncoding && raw.socket === socket
  const isFull = (): boolean => (raw.socket ?? raw).writableNeedDrain
  let isUnbroken = false
  /** Returns false when the reader has enough for now. */
  const write = ({ plain, chunk }: Prepared): boolean => (isDirect() ? socket.write(chunk) : raw.write(plain))
  return {
    isFull,
    write,
    /** Writes bytes that leave together with the end of the body, which must follow in this turn. */
    writeLast(last: Prepared): void {
      if (isDirect()) socket.cork() // the response uncorks the socket when it ends
      write(last)
    },
    /** Sends a heartbeat, unless the reader is behind or only a part of the current line has been sent. */
    beat: () => void (isUnbroken || isFull() || write(preparedHeartbeat)),
    /** Passes on the parts of one line; no heartbeat comes between them. */
    unbroken: (pieces: Pieces): AsyncGenerator<Piece> =>
      noted(pieces, isUnderWay => {
        isUnbroken = isUnderWay
      }),
  }
}
export type Body = ReturnType<typeof openBody>
