// Turns the pieces of an answer into chat completions: into chunks, or into one object.
import { createHash } from 'node:crypto'
import { words } from '../agents/text.ts'
import type { Answer } from './answer.ts'
import type { Delta, Piece } from './pieces.ts'
import type { ChatRequest } from './request.ts'

export const modelName = 'fake-1'

/** The fields that all chunks of one answer share. */
export type Head = { id: string; created: number; model: string; system_fingerprint?: string }

/** The same token always gets the same number and the same probability. */
const numberOf = (token: string): number => createHash('sha256').update(token).digest().readUInt16BE(0)
const logprobOf = (token: string) => ({
  token,
  logprob: -(numberOf(token) + 1) / 2 ** 16,
  bytes: [...Buffer.from(token)],
  top_logprobs: [],
})
const logprobsOf = (pieces: Piece[]) => ({
  content: pieces.filter(({ delta }) => delta.refusal === undefined).map(({ token }) => logprobOf(token)),
  refusal: pieces.some(({ delta }) => delta.refusal !== undefined)
    ? pieces.filter(({ delta }) => delta.refusal !== undefined).map(({ token }) => logprobOf(token))
    : null,
})
const tokenIds = (pieces: Piece[]): number[] => pieces.map(({ token }) => numberOf(token))
const promptTokenIds = ({ messages }: ChatRequest): number[] =>
  words(JSON.stringify(messages)).map(word => numberOf(word))

/** The usage of an answer. By default, four characters of the messages count as one token, and each piece as one. */
const usageOf = ({ usage }: Answer, { messages }: ChatRequest, pieces: number) => {
  if (usage === false) return undefined
  const prompt_tokens = usage?.prompt_tokens ?? Math.ceil(JSON.stringify(messages).length / 4)
  const completion_tokens = usage?.completion_tokens ?? pieces
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

const finishOf = ({ finish_reason, tool_calls = [] }: Answer): string | null =>
  finish_reason === undefined ? (tool_calls.length > 0 ? 'tool_calls' : 'stop') : finish_reason

/** The chunks of a streamed answer. If the answer has `chunks`, they are used unchanged. */
export function* chunksOf(
  answer: Answer,
  request: ChatRequest,
  head: Head,
  pieces: Iterable<Piece>,
): Generator<unknown> {
  if (answer.chunks !== undefined) {
    yield* answer.chunks
    return
  }
  const { logprobs, token_ids } = answer
  const withUsage = request.stream_options?.include_usage === true
  const chunk = (choices: object[], more: object = {}) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices,
    ...(withUsage ? { usage: null } : {}),
    ...more,
  })
  const choice = (delta: Delta & { role?: string }, said: Piece[], finish_reason: string | null = null) => ({
    index: 0,
    delta,
    logprobs: logprobs && said.length > 0 ? logprobsOf(said) : null,
    finish_reason,
    ...(token_ids ? { token_ids: tokenIds(said) } : {}),
  })
  yield chunk(
    [choice({ role: 'assistant', content: '' }, [])],
    token_ids ? { prompt_token_ids: promptTokenIds(request) } : {},
  )
  let count = 0
  for (const piece of pieces) {
    count++
    yield chunk([choice(piece.delta, [piece])])
  }
  const finish = finishOf(answer)
  if (finish !== null) yield chunk([choice({}, [], finish)])
  const usage = usageOf(answer, request, count)
  if (withUsage && usage !== undefined) yield chunk([], { usage })
}

const joined = (pieces: Piece[], of: (delta: Delta) => string | undefined): string | null => {
  const texts = pieces.flatMap(({ delta }) => of(delta) ?? [])
  return texts.length === 0 ? null : texts.join('')
}
const callsIn = (pieces: Piece[]) => {
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = []
  for (const { index, id = '', function: called } of pieces.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    const { name = '', arguments: args } = called
    const call = calls[index]
    if (call === undefined) calls[index] = { id, type: 'function', function: { name, arguments: args } }
    else call.function.arguments += args
  }
  return calls
}

/** The answer as one object, for a request without a stream. All pieces are in memory at once. */
export const completionOf = (
  answer: Answer,
  request: ChatRequest,
  head: Head,
  allPieces: Iterable<Piece>,
) => {
  const pieces = [...allPieces]
  const reasoning = answer.reasoning_as === 'reasoning' ? 'reasoning' : 'reasoning_content'
  const thought = joined(pieces, delta => delta.reasoning_content ?? delta.reasoning)
  const calls = callsIn(pieces)
  const usage = usageOf(answer, request, pieces.length)
  return {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: joined(pieces, delta => delta.content),
          refusal: joined(pieces, delta => delta.refusal),
          ...(thought === null ? {} : { [reasoning]: thought }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        logprobs: answer.logprobs ? logprobsOf(pieces) : null,
        finish_reason: finishOf(answer),
        ...(answer.token_ids ? { token_ids: tokenIds(pieces) } : {}),
      },
    ],
    ...(answer.token_ids ? { prompt_token_ids: promptTokenIds(request) } : {}),
    ...(usage === undefined ? {} : { usage }),
  }
}
