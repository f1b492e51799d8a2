// Buffers the bodies of requests that can be sent again when the owner of the log is lost. A body is buffered while it
// passes, until the answer begins. All buffered bodies together have a limit: beyond it, a body passes and is not buffered.
import type { IncomingMessage } from 'node:http'

/** The largest size of one buffered body, and of all buffered bodies together, in bytes. */
const longest = 256 * 1024
const mostTogether = 32 * 1024 * 1024

/** Where a body goes: a request to another node, or a message for a handler of this node. */
type Sink = { write(chunk: Buffer): unknown; end(): unknown }

const buffered = (request: IncomingMessage, freed: () => void) => {
  const chunks: Buffer[] = []
  let isBuffered = true
  let isWhole = false
  let sink: Sink | undefined
  request.on('data', (chunk: Buffer) => {
    if (isBuffered) chunks.push(chunk)
    sink?.write(chunk)
  })
  request.once('end', () => {
    isWhole = true
    sink?.end()
  })
  return {
    /** Sends the part of the body that has come, from its beginning on, and then the rest as it comes. */
    sendTo(next: Sink): void {
      sink = next
      for (const chunk of chunks) sink.write(chunk)
      if (isWhole) sink.end()
    },
    /** Sends nothing more until the next `sendTo`. */
    leave(): void {
      sink = undefined
    },
    /** Forgets the buffered part of the body. Parts that arrive later are only passed on. */
    free(): void {
      if (isBuffered) freed()
      isBuffered = false
      chunks.length = 0
    },
  }
}
export type BufferedBody = ReturnType<typeof buffered>

export const createBufferedBodies = (most = mostTogether) => {
  let together = 0
  return {
    /**
     * Begins to buffer the body of a request. Undefined: it is too long or of unknown length, or the buffered bodies fill
     * their limit.
     */
    buffer(request: IncomingMessage): BufferedBody | undefined {
      const size = Number(request.headers['content-length'] ?? Number.NaN)
      if (!(size <= longest && together + size <= most)) return undefined
      together += size
      return buffered(request, () => {
        together -= size
      })
    },
    /** How many bytes the buffered bodies have together, with those that are still to come. */
    bytes: (): number => together,
  }
}
export type BufferedBodies = ReturnType<typeof createBufferedBodies>
