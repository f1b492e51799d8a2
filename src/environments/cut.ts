// Cuts long texts and marks the cut. No character is split.
import type { ContentPart, MessageContent } from '../contract/wire.ts'

/** The greatest length of the content of a step, in bytes of UTF-8. */
export const maxContent = 1 << 20
export const cutMark = '\n[Cut: the answer is longer than 1 MiB]'

/** The beginning of a text, in at most `max` bytes. */
export const beginning = (text: string, max: number): string => {
  if (text.length * 3 <= max) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(max))
  return text.slice(0, read)
}

/** Passes texts through, up to `maxContent` bytes in all. The cut text ends with the mark; later texts are empty. */
export const createCut = () => {
  let room = maxContent
  let isCut = false
  return {
    isCut: () => isCut,
    /** Returns the part of the text that still fits. */
    take(text: string): string {
      if (isCut) return ''
      const short = beginning(text, room)
      room -= Buffer.byteLength(short)
      isCut = short.length < text.length
      return isCut ? short + cutMark : short
    },
    /** Reserves this many bytes for a part that cannot be cut. False: the part does not fit. */
    has(bytes: number): boolean {
      room -= bytes
      return room >= 0
    },
  }
}

export const cutContent = (content: MessageContent): MessageContent => {
  const cut = createCut()
  if (typeof content === 'string') return cut.take(content)
  const kept: ContentPart[] = []
  for (const part of content) {
    if (typeof part === 'string') kept.push(cut.take(part))
    else if ('text' in part) kept.push({ ...part, text: cut.take(part.text) })
    else if (cut.has(Buffer.byteLength(JSON.stringify(part)))) kept.push(part)
    else return [...kept, cutMark.trim()]
    if (cut.isCut()) return kept
  }
  return kept
}
