/** Sent and not acknowledged yet, at most. */
const messagesAtMost = 1024
const bytesAtMost = 4 * 1024 * 1024
/** When nothing was acknowledged for longer, what is under way is lost. */
export const patienceMs = 3000

type Sent = { position: number; bytes: number }

/** The messages that were sent and are not acknowledged yet, oldest first. */
export const createUnderWay = () => {
  let messages: Sent[] = []
  let bytes = 0
  let progressAt = 0
  return {
    isEmpty: () => messages.length === 0,
    isFull: () => messages.length >= messagesAtMost || bytes >= bytesAtMost,
    /** Something is under way, and nothing was acknowledged for too long. */
    isLost: () => messages.length > 0 && performance.now() - progressAt > patienceMs,
    /** The position of the oldest. */
    oldest: () => messages[0]?.position,
    add(position: number, size: number): void {
      if (messages.length === 0) progressAt = performance.now()
      messages.push({ position, bytes: size })
      bytes += size
    },
    /** The oldest `count` are acknowledged; the answer: these. */
    take(count: number): readonly Sent[] {
      const taken = messages.splice(0, count)
      for (const message of taken) bytes -= message.bytes
      progressAt = performance.now()
      return taken
    },
    clear(): void {
      messages = []
      bytes = 0
    },
  }
}
export type UnderWay = ReturnType<typeof createUnderWay>
