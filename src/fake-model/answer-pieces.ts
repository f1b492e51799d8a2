// The pieces in which an answer is sent, the same for every protocol. They are made one by one, so that an answer with
// many repetitions is never in memory as a whole.
import { createHash } from 'node:crypto'
import { words } from '../agents/text.ts'
import type { Answer, ToolCall } from './answer.ts'

export type TextKind = 'reasoning' | 'signature' | 'redacted' | 'text' | 'refusal' | 'arguments'
/** `call` begins a call; the `arguments` that follow belong to it. `signature` signs the reasoning before it. */
export type Piece =
  | { kind: TextKind; text: string }
  | { kind: 'call'; id: string; name: string; extra: Record<string, unknown> }

/** Cuts arguments into pieces, at least two if possible. No piece ends inside a character. */
const cutUp = (text: string): string[] => {
  const size = Math.min(64, Math.max(1, Math.ceil(text.length / 3)))
  return text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []
}

/** The same reasoning has the same signature. */
const signatureOf = (reasoning: string): string =>
  createHash('sha256').update(`signed ${reasoning}`).digest('base64')

function* callPieces(call: ToolCall, newCallId: () => string): Generator<Piece> {
  const { name, arguments: values = {}, id = newCallId(), extra = {} } = call
  const args = typeof values === 'string' ? values : JSON.stringify(values)
  yield { kind: 'call', id, name, extra }
  for (const text of cutUp(args)) yield { kind: 'arguments', text }
}

function* reasoningPieces({ reasoning, reasoning_as, signature }: Answer): Generator<Piece> {
  if (reasoning === undefined) return
  if (reasoning_as === 'think') {
    for (const text of ['<think>', ...words(reasoning), '</think>\n']) yield { kind: 'text', text }
    return
  }
  for (const text of words(reasoning)) yield { kind: 'reasoning', text }
  if (signature !== false) yield { kind: 'signature', text: signature ?? signatureOf(reasoning) }
}

/** The pieces of an answer. `newCallId` returns a new id for a call, as a provider would. */
export function* piecesOf(answer: Answer, newCallId: () => string): Generator<Piece> {
  const { redacted, text = '', refusal = '', tool_calls = [] } = answer
  yield* reasoningPieces(answer)
  if (redacted !== undefined) yield { kind: 'redacted', text: redacted }
  const said = words(text)
  for (let n = 0; n < (answer.repeat ?? 1); n++) {
    for (const word of said) yield { kind: 'text', text: word }
  }
  for (const word of words(refusal)) yield { kind: 'refusal', text: word }
  for (const call of tool_calls) yield* callPieces(call, newCallId)
}

/** What counts as one token: each piece but the seals of reasoning. */
export const isToken = ({ kind }: Piece): boolean => kind !== 'signature' && kind !== 'redacted'

/** Passes pieces on. `tokens` is the number of tokens that have passed. */
export const countTokens = (pieces: Iterable<Piece>) => {
  let tokens = 0
  function* counted(): Generator<Piece> {
    for (const piece of pieces) {
      if (isToken(piece)) tokens++
      yield piece
    }
  }
  return { pieces: counted(), tokens: () => tokens }
}
