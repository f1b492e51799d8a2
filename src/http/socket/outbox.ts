// The outgoing messages of one connection. Finished frames go directly to the socket, because the WebSocket library
// would build each of them again. That is safe between the library's own frames (close, ping, pong): it writes each of
// these at once and whole.
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { gathered, isLong, type Pieces, type Text } from '../../platform/pieces.ts'
import { cut } from '../pour.ts'
import { fragment, textFrame } from './text-frame.ts'

/** Bytes that may wait for a reader. The connection of a reader with more is closed. */
const mostWaiting = 16 * 1024 * 1024

export type Outbox = ReturnType<typeof createOutbox>

/** Callers that wait for room: some for the next time, some for every time. */
const createRoomWaiters = () => {
  let waiting: (() => void)[] = []
  const jobs: (() => void)[] = []
  const release = () => {
    const all = waiting
    waiting = []
    for (const go of all) go()
  }
  return {
    next: (): Promise<void> => new Promise(resolve => waiting.push(resolve)),
    always: (job: () => void): void => void jobs.push(job),
    /** There will be no room any more: releases the callers that wait for the next time. */
    release,
    /** There is room again. */
    wake(): void {
      release()
      for (const job of jobs) job()
    },
  }
}

/** `overflow` is called when more than `most` bytes would wait; that message is not sent. */
export const createOutbox = (ws: WebSocket, socket: Duplex, overflow: () => void, most = mostWaiting) => {
  const waiters = createRoomWaiters()
  /** Frames that follow the long message which is being sent; undefined: none is. */
  let behind: Buffer[] | undefined
  socket.on('drain', waiters.wake)
  socket.once('close', waiters.release)

  const isOpen = () => ws.readyState === WebSocket.OPEN
  const isFull = () => behind !== undefined || socket.writableNeedDrain
  /** Resolves when there is room in the socket, or never will be. */
  const drained = (): Promise<void> =>
    isOpen() && socket.writableNeedDrain ? waiters.next() : Promise.resolve()
  /** The same for callers that must not write into a long message. */
  const room = (): Promise<void> => (isOpen() && isFull() ? waiters.next() : Promise.resolve())

  const write = (bytes: Buffer): boolean => {
    if (!isOpen()) return false
    if (behind === undefined) return socket.write(bytes)
    behind.push(bytes)
    return false
  }
  const heldBytes = () => socket.writableLength + (behind ?? []).reduce((sum, bytes) => sum + bytes.length, 0)
  /** Sends one message. It is also taken when the socket is full, up to a limit. */
  const say = (text: string): void => {
    if (!isOpen()) return
    if (heldBytes() > most) overflow()
    else write(textFrame(text))
  }

  /** Sends a message in fragments, each when there is room for it. Other messages follow after it. */
  const tellLong = async (text: Pieces): Promise<void> => {
    behind = []
    try {
      let place: 'first' | 'next' = 'first'
      for await (const piece of text) {
        for (const part of cut(piece)) {
          if (!isOpen()) return
          socket.write(fragment(typeof part === 'string' ? Buffer.from(part) : part, place))
          place = 'next'
          await drained()
        }
      }
      if (isOpen()) socket.write(fragment(Buffer.alloc(0), 'last'))
    } catch (error) {
      ws.terminate() // a client cannot use half a message
      throw error
    } finally {
      const held = behind
      behind = undefined
      for (const bytes of held) write(bytes)
      waiters.wake()
    }
  }

  return {
    isFull,
    room,
    /** Runs the job whenever there is room again: in the socket, or after a long message. */
    onRoom: waiters.always,
    say,
    /** Writes finished frames; false: the caller must stop writing for now. */
    write,
    /** Sends one message, which may be long, when there is room for it. Throws what its pieces throw. */
    async tell(text: Text): Promise<void> {
      const ready = isLong(text) ? await gathered(text) : text
      while (isOpen() && isFull()) await room()
      if (!isOpen()) return void (isLong(ready) && (await ready[Symbol.asyncIterator]().return?.()))
      if (isLong(ready)) await tellLong(ready)
      else say(ready)
    },
  }
}
