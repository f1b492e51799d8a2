// Asks one witness over HTTP for its signature of a checkpoint.
import { readSignatureLine, type Signature } from '../note/note.ts'
import type { Hash } from '../tree/hash.ts'
import { sizeType, writeAddCheckpoint } from './request.ts'

/** A witness that has not answered after this many milliseconds counts as away. */
const patienceMs = 10_000
/** The largest number of characters and of signatures in an answer. */
const mostChars = 64 * 1024
const mostSignatures = 16

/** `size`: the size of the newest checkpoint that the witness knows. */
export type Answered = { signatures: Signature[] } | { size: number }

const textOf = async (response: Response): Promise<string> => {
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > mostChars) throw new Error('its answer is too long')
  }
  return text
}

/** Rejects with an error that says why the witness did not sign. */
export const askWitness = async (
  url: string,
  asked: { old: number; proof: Hash[]; note: string },
  stopping: AbortSignal,
): Promise<Answered> => {
  const response = await fetch(`${url}/add-checkpoint`, {
    method: 'POST',
    body: writeAddCheckpoint(asked),
    redirect: 'error',
    signal: AbortSignal.any([stopping, AbortSignal.timeout(patienceMs)]),
  })
  const text = await textOf(response)
  if (response.status === 200) {
    const lines = text.split('\n').slice(0, -1)
    if (lines.length === 0 || lines.length > mostSignatures) throw new Error('its answer has no signature')
    return { signatures: lines.map(readSignatureLine) }
  }
  const size = /^(0|[1-9]\d*)\n$/.exec(text)?.[1]
  if (response.status === 409 && response.headers.get('content-type') === sizeType && size !== undefined)
    return { size: Number(size) }
  throw new Error(`it answered ${response.status}: ${text.trim().slice(0, 300)}`)
}
