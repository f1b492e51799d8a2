// Sends the outgoing messages of one connection. Finished frames are written directly to the socket, because the
// WebSocket library would build each of them again. This is safe although the library also writes frames of its own
// (close, ping, pong), because it writes each of these whole in one call.
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { gathered, isLong, type Pieces, type Text } from '../../platform/pieces.ts'
import { cut } from '../answer/pour.ts'
import { fragment, textFrame } from './text-frame.ts'

/** The most bytes that may wait for a reader. If more wait when a message is to be sent, the connection is closed. */
const maxWaiting = 16 * 1024 * 1024

export type Outbox = ReturnType<typeof createOutbox>

/** Keeps the callers that wait for room: a caller of `next` waits once, a job of `always` runs each time. */
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
    /** There will be no room any more: releases the callers that wait once. */
    release,
    /** There is room again. */
    wake(): void {
      release()
      for (const job of jobs) job()
    },
  }
}

/**
 * Makes the outbox of a connection. If more than `max` bytes are waiting already, `say` calls `overflow` and does not
 * send its message.
 */
export const createOutbox = (ws: WebSocket, socket: Duplex, overflow: () => void, max = maxWaiting) => {
  const waiters = createRoomWaiters()
  /** The frames to send after the long message that is being sent. Undefined: no long message is being sent. */
  let behind: Buffer[] | undefined
  socket.on('drain', waiters.wake)
  socket.once('close', waiters.release)

  const isOpen = () => ws.readyState === WebSocket.OPEN
  const isFull = () => behind !== undefined || socket.writableNeedDrain
  /** Resolves when the socket has room, or has closed. */
  const drained = (): Promise<void> =>
    isOpen() && socket.writableNeedDrain ? waiters.next() : Promise.resolve()
  /** Resolves when the socket has room and no long message is being sent, or when the socket has closed. */
  const room = (): Promise<void> => (isOpen() && isFull() ? waiters.next() : Promise.resolve())

  const write = (bytes: Buffer): boolean => {
    if (!isOpen()) return false
    if (behind === undefined) return socket.write(bytes)
    behind.push(bytes)
    return false
  }
  const heldBytes = () => socket.writableLength + (behind ?? []).reduce((sum, bytes) => sum + bytes.length, 0)
  /** Sends one message. If the socket is full, the message waits, up to the limit of waiting bytes. */
  const say = (text: string): void => {
    if (!isOpen()) return
    if (heldBytes() > max) overflow()
    else write(textFrame(text))
  }

  /**
   * Sends a message in fragments, each of them when there is room. Other messages wait until the last fragment is sent.
   */
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
      ws.terminate() // a client cannot use a part of a message
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
    /** Runs the job each time when there is room again: the socket has room, or a long message has been sent. */
    onRoom: waiters.always,
    say,
    /** Writes finished frames. Returns false if the caller must stop writing for now. */
    write,
    /** Waits for room and sends one message, which may be long. Throws the errors that its pieces throw. */
    async tell(text: Text): Promise<void> {
      const ready = isLong(text) ? await gathered(text) : text
      while (isOpen() && isFull()) await room()
      if (!isOpen()) return void (isLong(ready) && (await ready[Symbol.asyncIterator]().return?.()))
      if (isLong(ready)) await tellLong(ready)
      else say(ready)
    },
  }
}
