// Reads the beginning of an answer and throws it away, so that the connection can serve the next request. A long or
// slow answer is cut off, and its connection is closed.
import type { Timers } from '../contract/ports.ts'

/** The most bytes of an answer that are read. */
const maxBytes = 4096
/** An answer must end within this many milliseconds after its head. */
const maxMs = 1000

export const drop = ({ body }: Response, timers: Timers): void => {
  if (body === null) return
  const reader = body.getReader()
  const cut = () => void reader.cancel().catch(() => {})
  const cancel = timers.after(maxMs, cut)
  const read = async () => {
    for (let bytes = 0; bytes <= maxBytes; ) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.length
    }
    cut()
  }
  void read()
    .catch(() => {})
    .finally(cancel)
}
