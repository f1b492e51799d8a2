// Writes pieces of text into a response. It waits for a slow reader, up to a limit.
import type { ServerResponse } from 'node:http'
import type { Piece, Pieces } from '../../platform/pieces.ts'

/**
 * The most characters or bytes that the socket is given at a time. No more than this waits in memory if the reader does
 * not read.
 */
const handedAtOnce = 256 * 1024
/** Milliseconds after which the connection is cut if the reader has not taken what the socket was given. */
const patienceMs = 60_000

const endedByUs = new WeakSet<ServerResponse>()
/** Breaks a connection from the server's side. This does not count as a disconnect of the caller. */
export const breakOff = (response: ServerResponse): void => {
  endedByUs.add(response)
  response.destroy()
}
/** Whether the server ended the connection, and not its caller. */
export const isEndedByUs = (response: ServerResponse): boolean => endedByUs.has(response)

/** Cuts a piece into parts of limited length, without cutting a character in two. */
export function* cut(piece: Piece): Generator<Piece> {
  for (let from = 0; from < piece.length; ) {
    let to = Math.min(piece.length, from + handedAtOnce)
    if (typeof piece === 'string') {
      const last = piece.charCodeAt(to - 1)
      if (to < piece.length && last >= 0xd800 && last <= 0xdbff) to++
      yield piece.slice(from, to)
    } else yield piece.subarray(from, to)
    from = to
  }
}

/**
 * Resolves when the response or its socket has room again or has closed. If the reader takes nothing for too long, the
 * connection is cut.
 */
export const room = (response: ServerResponse, patience = patienceMs): Promise<void> =>
  new Promise(resolve => {
    const { socket } = response
    const timer = setTimeout(() => breakOff(response), patience)
    timer.unref()
    const done = () => {
      clearTimeout(timer)
      response.off('drain', done)
      socket?.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    socket?.on('drain', done)
    response.on('close', done)
    if (response.destroyed) done()
  })

/** Writes pieces, and resolves when the response has been given the last of them, or the connection has closed. */
export const handOver = async (
  response: ServerResponse,
  pieces: Pieces,
  patience = patienceMs,
): Promise<void> => {
  for await (const piece of pieces) {
    for (const part of cut(piece)) {
      if (response.destroyed) return
      if (!response.write(part)) await room(response, patience)
    }
  }
}

/** Does what `handOver` does, and then ends the response. */
export const pour = async (
  response: ServerResponse,
  pieces: Pieces,
  patience = patienceMs,
): Promise<void> => {
  await handOver(response, pieces, patience)
  if (!response.destroyed) response.end()
}
