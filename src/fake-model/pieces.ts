// The pieces in which an answer is sent. They are made one by one, so that an answer with many repetitions is never in
// memory as a whole.
import { words } from '../agents/text.ts'
import type { Answer, ToolCall } from './answer.ts'

export type Delta = {
  content?: string
  reasoning_content?: string
  reasoning?: string
  refusal?: string
  tool_calls?: {
    index: number
    id?: string
    type?: 'function'
    function: { name?: string; arguments: string }
  }[]
}
/** `token` is the text of the piece, for its log probability and its id. */
export type Piece = { delta: Delta; token: string }

/** Cuts arguments into pieces, at least two if possible. No piece ends inside a character. */
const cutUp = (text: string): string[] => {
  const size = Math.min(64, Math.max(1, Math.ceil(text.length / 3)))
  return text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []
}

function* callPieces(
  { name, arguments: values = {} }: ToolCall,
  index: number,
  id: string,
): Generator<Piece> {
  const args = typeof values === 'string' ? values : JSON.stringify(values)
  const head = { index, id, type: 'function' as const, function: { name, arguments: '' } }
  yield { delta: { tool_calls: [head] }, token: name }
  for (const token of cutUp(args)) {
    yield { delta: { tool_calls: [{ index, function: { arguments: token } }] }, token }
  }
}

/** The pieces of an answer. `newCallId` returns a new id for a call, as a provider would. */
export function* piecesOf(answer: Answer, newCallId: () => string): Generator<Piece> {
  const { reasoning, reasoning_as: as = 'reasoning_content', text = '', refusal = '' } = answer
  if (reasoning !== undefined && as !== 'think') {
    for (const token of words(reasoning)) yield { delta: { [as]: token }, token }
  }
  if (reasoning !== undefined && as === 'think') {
    for (const token of ['<think>', ...words(reasoning), '</think>\n']) {
      yield { delta: { content: token }, token }
    }
  }
  const said = words(text)
  for (let n = 0; n < (answer.repeat ?? 1); n++) {
    for (const token of said) yield { delta: { content: token }, token }
  }
  for (const token of words(refusal)) yield { delta: { refusal: token }, token }
  for (const [index, call] of (answer.tool_calls ?? []).entries()) {
    yield* callPieces(call, index, newCallId())
  }
}
