// Reads the lines of an answer while it arrives.
import { unreachable } from './api-error.ts'

/**
 * Calls `take` with the whole lines of each piece, without their line ends. Resolves at the end of the answer. Rejects
 * with ApiError when the answer breaks off, and with what `take` throws.
 */
export const readLines = async (
  body: ReadableStream<Uint8Array>,
  take: (lines: string[]) => void,
): Promise<void> => {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read().catch(error => {
      throw unreachable(error)
    })
    const lines = (rest + decoder.decode(value, { stream: !done })).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) take(lines)
    if (done) break
  }
  if (rest !== '') take([rest])
}
