// What leaves on one connection. Frames go to the socket as they are, past the WebSocket, which would make each anew;
// between its own frames (close, ping, pong), which it writes at once and whole, that is safe.
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { gathered, isLong, type Pieces, type Text } from '../../platform/pieces.ts'
import { cut } from '../pour.ts'
import { fragment, textFrame } from './text-frame.ts'

/** More than this waits for nobody: a reader that lets so much pile up is cut. */
const mostWaiting = 16 * 1024 * 1024

export type Outbox = ReturnType<typeof createOutbox>

/** Who waits for room: some for the next time, some for every time. */
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
    /** There will be no room any more: whoever waits for the next time waits no longer. */
    release,
    /** There is room again. */
    wake(): void {
      release()
      for (const job of jobs) job()
    },
  }
}

/** `overflow` is called when more is to be said than may wait: nothing more is taken. */
export const createOutbox = (ws: WebSocket, socket: Duplex, overflow: () => void, most = mostWaiting) => {
  const waiters = createRoomWaiters()
  /** What is to be said behind a long message that is being told; undefined: none is. */
  let behind: Buffer[] | undefined
  socket.on('drain', waiters.wake)
  socket.once('close', waiters.release)

  const isOpen = () => ws.readyState === WebSocket.OPEN
  const isFull = () => behind !== undefined || socket.writableNeedDrain
  /** Resolves when there is room in the socket, or never will be. */
  const drained = (): Promise<void> =>
    isOpen() && socket.writableNeedDrain ? waiters.next() : Promise.resolve()
  /** The same for whoever must not speak into a long message. */
  const room = (): Promise<void> => (isOpen() && isFull() ? waiters.next() : Promise.resolve())

  const write = (bytes: Buffer): boolean => {
    if (!isOpen()) return false
    if (behind === undefined) return socket.write(bytes)
    behind.push(bytes)
    return false
  }
  const heldBytes = () => socket.writableLength + (behind ?? []).reduce((sum, bytes) => sum + bytes.length, 0)
  /** One message. It is taken also when there is enough for now, up to a limit. */
  const say = (text: string): void => {
    if (!isOpen()) return
    if (heldBytes() > most) overflow()
    else write(textFrame(text))
  }

  /** In fragments, each when there is room for it. What others say meanwhile follows it. */
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
      ws.terminate() // half a message is none
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
    /** The job is done whenever there is room again: in the socket, or behind a long message. */
    onRoom: waiters.always,
    say,
    /** Frames, ready made; false: it is enough for now. */
    write,
    /** One message that may be long: said when there is room for it. Throws what its pieces throw. */
    async tell(text: Text): Promise<void> {
      const ready = isLong(text) ? await gathered(text) : text
      while (isOpen() && isFull()) await room()
      if (!isOpen()) return void (isLong(ready) && (await ready[Symbol.asyncIterator]().return?.()))
      if (isLong(ready)) await tellLong(ready)
      else say(ready)
    },
  }
}
