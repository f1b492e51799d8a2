// The incoming messages of one connection, and their rate. A message is taken when there is room for its answer, when
// not too many commands run, and no faster than the rate. Until then nothing is read, and the sender waits. So the
// inbox never holds more than one read of the socket.
import type { WebSocket } from 'ws'

export type Message = { bytes: Buffer; isBinary: boolean }

export type InboxLimits = {
  /** Messages that may be handled at a time. */
  inFlight: number
  /**
   * Tokens: `burst` of them after a rest, `rate` more each second. A message costs one, and one more for each 4 KiB.
   */
  burst: number
  rate: number
}
export const usualInbox: InboxLimits = { inFlight: 64, burst: 2000, rate: 1000 }
const bytesPerToken = 4096

type Wish = {
  limits: InboxLimits
  /** True: there is no room for an answer. */
  isFull: () => boolean
  /** Handles a message. `done` is called once the message no longer counts as running. */
  take: (message: Message, done: () => void) => void
  /** Called when no whole message waits. */
  emptied: () => void
  /** Called when reading is paused. */
  held: () => void
}

/** Tokens that come back with time: `burst` of them after a rest, and `rate` a second. */
const createTokens = ({ burst, rate }: Pick<InboxLimits, 'burst' | 'rate'>) => {
  let tokens = burst
  let since = performance.now()
  const refill = () => {
    const now = performance.now()
    tokens = Math.min(burst, tokens + ((now - since) * rate) / 1000)
    since = now
  }
  return {
    spend(count: number): void {
      tokens -= count
    },
    /** Milliseconds until there is a token; 0: there is one. */
    waitMs(): number {
      if (tokens < 1) refill()
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1000) / rate)
    },
  }
}

export const createInbox = (ws: WebSocket, { limits, isFull, take, emptied, held }: Wish) => {
  let queue: Message[] = []
  let inFlight = 0
  const tokens = createTokens(limits)
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let isPumping = false

  const isTooFast = (): boolean => {
    const waitMs = tokens.waitMs()
    if (waitMs === 0) return false
    timer ??= setTimeout(() => {
      timer = undefined
      pump()
    }, waitMs).unref()
    return true
  }
  const mustWait = () => inFlight >= limits.inFlight || isFull() || isTooFast()

  const pump = (): void => {
    if (isStopped || isPumping) return
    isPumping = true
    let at = 0
    while (at < queue.length && !mustWait()) {
      const message = queue[at++] as Message
      tokens.spend(1 + message.bytes.length / bytesPerToken)
      inFlight++
      let counts = true
      take(message, () => {
        if (!counts) return
        counts = false
        inFlight--
        if (ws.isPaused) pump()
      })
    }
    queue = queue.slice(at)
    isPumping = false
    if (isStopped) return
    if (queue.length === 0) emptied()
    if (mustWait()) {
      held()
      ws.pause()
    } else if (ws.isPaused) ws.resume()
  }

  return {
    pump,
    hear(message: Message): void {
      if (isStopped) return
      queue.push(message)
      pump()
    },
    /** Counts input that is no message but costs as much as one. */
    spend(): void {
      tokens.spend(1)
      pump()
    },
    /** Ends the inbox: everything that still comes is read and thrown away. */
    stop(): void {
      isStopped = true
      queue = []
      clearTimeout(timer)
      ws.resume()
    },
  }
}
