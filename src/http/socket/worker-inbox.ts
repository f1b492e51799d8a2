// The messages of one worker that wait until they are handled, one after the other. While many bytes wait, nothing more
// is read. What a worker has sent counts, also when it has closed the connection behind it.
import type { WebSocket } from 'ws'

/** Reading stops while messages of more than this many bytes wait. */
const mostBytes = 1 << 20
/** Bytes of a message that count as one piece of work. */
const bytesOfPiece = 256 * 1024

type Deps = {
  /** Resolves when work of this many pieces may be done. */
  inTurn(pieces: number): Promise<void>
  /** Called when all messages are handled. */
  emptied(): void
}
type Message = { data: Buffer; take: (data: Buffer) => void }

export const createWorkerInbox = (ws: WebSocket, { inTurn, emptied }: Deps) => {
  const waiting: Message[] = []
  let bytes = 0
  let isPumping = false
  let isPaused = false
  let isStopped = false
  /** Called when the connection is closed and nothing waits any more. */
  let over: (() => void) | undefined

  const review = () => {
    const mustWait = !isStopped && (isPaused || bytes > mostBytes)
    if (mustWait && !ws.isPaused) ws.pause()
    else if (!mustWait && ws.isPaused) ws.resume()
  }
  const isEmpty = () => {
    emptied()
    const then = over
    over = undefined
    then?.()
  }
  const pump = async () => {
    if (isPumping) return
    isPumping = true
    for (let next = waiting[0]; next !== undefined && !isPaused; next = waiting[0]) {
      const { data, take } = next
      await inTurn(1 + Math.floor(data.length / bytesOfPiece))
      if (isStopped) break
      if (isPaused) continue
      waiting.shift()
      bytes -= data.length
      take(data)
      review()
      if (waiting.length === 0) isEmpty()
    }
    isPumping = false
  }
  return {
    /** `take` is called when the messages before are handled. */
    add(data: Buffer, take: Message['take']): void {
      if (isStopped) {
        void emptied()
        return
      }
      waiting.push({ data, take })
      bytes += data.length
      review()
      void pump()
    },
    pause(): void {
      isPaused = true
      review()
    },
    resume(): void {
      isPaused = false
      review()
      void pump()
    },
    /** Drops what waits and what still comes: the server has cut the connection. */
    stop(): void {
      isStopped = true
      waiting.length = 0
      review()
      isEmpty()
    },
    /** The connection is closed. `then` is called when the messages that have come are handled, or dropped. */
    end(then: () => void): void {
      over = then
      if (waiting.length === 0) isEmpty()
    },
  }
}
