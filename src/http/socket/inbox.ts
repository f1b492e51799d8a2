// Handles the incoming messages of one connection. A message is handled when there is room for its answer, when fewer
// messages than the limit are being handled, and when the rate limit allows it. Until then the server reads
// nothing from the socket, and the sender must wait. So the inbox never holds more than the bytes of one read.
import type { WebSocket } from 'ws'

export type Message = { bytes: Buffer; isBinary: boolean }

export type InboxLimits = {
  /** The most messages that may be handled at a time. */
  inFlight: number
  /**
   * A message costs one token, and one more for each 4 KiB. These tokens are units of the rate limit. A connection has
   * at most `burst` of them; it reaches that number when it sends nothing for a while. `rate` is the number of tokens
   * that it gets each second.
   */
  burst: number
  rate: number
}
export const defaultInbox: InboxLimits = { inFlight: 64, burst: 2000, rate: 1000 }
const bytesPerToken = 4096

type Deps = {
  limits: InboxLimits
  /** Whether there is no room for another answer. */
  isFull: () => boolean
  /** Handles a message, and calls `done` when the message no longer counts as running. */
  take: (message: Message, done: () => void) => void
  /** The inbox calls this when no whole message is waiting. */
  emptied: () => void
  /** The inbox calls this when it pauses reading. */
  held: () => void
}

/** A store of tokens: at most `burst` of them, with `rate` new tokens each second. */
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
    /** Milliseconds until there is a token; 0 if there is one now. */
    waitMs(): number {
      if (tokens < 1) refill()
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1000) / rate)
    },
  }
}

export const createInbox = (ws: WebSocket, { limits, isFull, take, emptied, held }: Deps) => {
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
    /** Spends tokens for input that is not a message but costs as much work as one. */
    spend(): void {
      tokens.spend(1)
      pump()
    },
    /** Ends the inbox. Bytes that still arrive are read and thrown away. */
    stop(): void {
      isStopped = true
      queue = []
      clearTimeout(timer)
      ws.resume()
    },
  }
}
