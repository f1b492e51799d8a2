// What leaves on one connection. Frames go to the socket as they are, past the WebSocket, which would make each anew;
// between its own frames (close, ping, pong), which it writes at once and whole, that is safe.
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { textFrame } from './text-frame.ts'

/** More than this waits for nobody: a reader that lets so much pile up is cut. */
const mostWaiting = 16 * 1024 * 1024

export type Outbox = ReturnType<typeof createOutbox>

/** `overflow`: more is to be said than may wait; nothing more is taken. */
export const createOutbox = (ws: WebSocket, socket: Duplex, overflow: () => void, most = mostWaiting) => {
  let waiting: (() => void)[] = []
  const wake = () => {
    const all = waiting
    waiting = []
    for (const go of all) go()
  }
  socket.on('drain', wake)
  socket.once('close', wake)

  const isOpen = () => ws.readyState === WebSocket.OPEN
  const isFull = () => socket.writableNeedDrain
  /** Resolves when there is room again, or never will be. */
  const room = (): Promise<void> =>
    isOpen() && isFull() ? new Promise(resolve => waiting.push(resolve)) : Promise.resolve()
  /** One message. It is taken also when there is enough for now, up to a limit. */
  const say = (text: string): void => {
    if (!isOpen()) return
    if (socket.writableLength > most) overflow()
    else socket.write(textFrame(text))
  }
  return {
    isFull,
    room,
    say,
    /** Frames, ready made; false: it is enough for now. */
    write(bytes: Buffer): boolean {
      return isOpen() && socket.write(bytes)
    },
    /** One message that may be long: said when there is room for it. */
    async tell(text: string): Promise<void> {
      while (isOpen() && isFull()) await room()
      say(text)
    },
  }
}
