// Passes on the output of a command as it arrives, and keeps the beginning and the end of the output for the result.
import { StringDecoder } from 'node:string_decoder'

/** At most this many characters are passed on while the command runs. */
const maxEmitted = 256 << 10
/** At most this many characters are kept from the beginning of the output. */
const maxHeadLength = 32 << 10
/** At most this many characters are kept from the end of the output. */
const maxTailLength = 32 << 10

export type Output = {
  add(chunk: Buffer): void
  /** How many bytes the command has printed until now. */
  size(): number
  end(): { output: string; cut: boolean }
}

export const createOutput = (emit: (text: string) => void): Output => {
  const decoder = new StringDecoder('utf8')
  let bytes = 0
  let emitted = 0
  let head = ''
  let tail = ''
  let skipped = 0

  const keep = (text: string) => {
    const room = maxHeadLength - head.length
    head += text.slice(0, room)
    tail += text.slice(room)
    if (tail.length > 2 * maxTailLength) {
      skipped += tail.length - maxTailLength
      tail = tail.slice(-maxTailLength)
    }
  }
  const handOn = (text: string) => {
    if (text === '' || emitted > maxEmitted) return
    const room = maxEmitted - emitted
    emitted += text.length
    emit(text.length > room ? `${text.slice(0, room)}\n[Cut: there is more]\n` : text)
  }

  return {
    add(chunk) {
      bytes += chunk.length
      const text = decoder.write(chunk)
      keep(text)
      handOn(text)
    },
    size: () => bytes,
    end() {
      keep(decoder.end())
      skipped += Math.max(0, tail.length - maxTailLength)
      tail = tail.slice(-maxTailLength)
      if (skipped === 0) return { output: head + tail, cut: false }
      return { output: `${head}\n[Cut: ${skipped} characters]\n${tail}`, cut: true }
    },
  }
}
