// Reads the bodies of HTTP answers as text. Their sizes are limited.
import type { Timers } from '../../contract/ports.ts'
import { maxBytes, patienceMs } from '../limits.ts'

/** At most this many bytes of the body of a refusal are read. */
const longestRefusal = 64 * 1024

export const tooLarge = new Error('the answer is too large')

/** The pieces of a body. Throws `tooLarge` after `most` bytes; the decompressed size counts. */
export async function* piecesOf({ body }: Response, most = maxBytes): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let room = most
  for await (const bytes of body ?? []) {
    room -= bytes.length
    if (room < 0) throw tooLarge
    yield decoder.decode(bytes, { stream: true })
  }
  yield decoder.decode()
}

/** The refusal, with as much of its body as comes soon. */
export const readRefusal = async (response: Response, timers: Pick<Timers, 'after'>): Promise<Response> => {
  let text = ''
  const read = async () => {
    for await (const piece of piecesOf(response, longestRefusal)) text += piece
  }
  let cancel = () => {}
  const late = new Promise<void>(resolve => {
    cancel = timers.after(patienceMs, resolve)
  })
  await Promise.race([read().catch(() => {}), late])
  cancel()
  const { status, statusText, headers } = response
  return new Response(text, { status, statusText, headers })
}
