// What an OpenAI-compatible endpoint sends, chunk by chunk, as what was said. Endpoints differ: reasoning has two
// names or stands in the text, calls come in pieces or whole, usage comes last or never.
import type { ModelCall } from '../../contract/agent.ts'
import type { Logprob, Usage } from '../../contract/wire.ts'
import { createThinkSplitter } from './think.ts'

export type Heard =
  | { kind: 'text' | 'reasoning' | 'refusal'; text: string; logprobs?: Logprob[] }
  | { kind: 'call'; call: string; name: string; text: string }
export type HeardCall = { name: string; arguments: string }

type GivenProb = {
  token: string
  logprob: number
  bytes?: number[] | null
  top_logprobs?: GivenProb[] | null
}
type CallPiece = { index?: number; id?: string; function?: { name?: string; arguments?: string } }
type Message = {
  content?: string | null
  reasoning_content?: string | null
  reasoning?: string | null
  refusal?: string | null
  tool_calls?: CallPiece[] | null
}
type GivenUsage = {
  prompt_tokens?: number
  completion_tokens?: number
  total_tokens?: number
  prompt_tokens_details?: { cached_tokens?: number } | null
  completion_tokens_details?: { reasoning_tokens?: number } | null
}
export type Chunk = {
  id?: string
  model?: string
  system_fingerprint?: string | null
  /** vLLM gives token ids when it is asked to. */
  prompt_token_ids?: number[] | null
  choices?: {
    delta?: Message
    message?: Message
    finish_reason?: string | null
    logprobs?: { content?: GivenProb[] | null } | null
    token_ids?: number[] | null
  }[]
  usage?: GivenUsage | null
  error?: { message?: string } | string | null
}

const usageOf = (given: GivenUsage): Usage => {
  const { prompt_tokens: input = 0, completion_tokens: output = 0 } = given
  const cached = given.prompt_tokens_details?.cached_tokens
  const reasoning = given.completion_tokens_details?.reasoning_tokens
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: given.total_tokens ?? input + output,
    ...(typeof cached === 'number' ? { cached_tokens: cached } : {}),
    ...(typeof reasoning === 'number' ? { reasoning_tokens: reasoning } : {}),
  }
}

const probOf = ({ token, logprob, bytes }: GivenProb) => ({
  token,
  logprob,
  bytes: bytes ?? [...Buffer.from(token)],
})
const logprobOf = (given: GivenProb): Logprob => ({
  ...probOf(given),
  top_logprobs: (given.top_logprobs ?? []).map(probOf),
})

export const createReader = () => {
  const splitter = createThinkSplitter()
  /** `held` came before the name did. */
  const calls: { key: string; id: string; name: string; arguments: string; held: string }[] = []
  const response: ModelCall['response'] = {}
  let usage: Usage | undefined
  let probs: Logprob[] = []

  const hearCall = (piece: CallPiece, position: number): Heard[] => {
    // By index, else by id, else the one at hand; the first piece names the tool.
    const key = piece.index?.toString() ?? piece.id ?? calls.at(-1)?.key ?? String(position)
    let call = calls.find(known => known.key === key)
    if (call === undefined) {
      call = { key, id: '', name: '', arguments: '', held: '' }
      calls.push(call)
    }
    if (call.id === '') call.id = piece.id ?? ''
    if (call.name === '') call.name = piece.function?.name ?? ''
    const text = piece.function?.arguments ?? ''
    call.arguments += text
    call.held += text
    if (call.name === '' || call.held === '') return []
    const said = { kind: 'call' as const, call: call.key, name: call.name, text: call.held }
    call.held = ''
    return [said]
  }
  /** Text that was said with what is known of its tokens: they stand with the newest text. */
  const hearText = (content: string, given: GivenProb[]): Heard[] => {
    const said: Heard[] = splitter.hear(content)
    if (given.length > 0) probs.push(...given.map(logprobOf))
    const last = said.at(-1)
    if (probs.length === 0 || last?.kind !== 'text') return said
    last.logprobs = probs
    probs = []
    return said
  }

  const account = ({ id, model, system_fingerprint, prompt_token_ids }: Chunk) => {
    if (id && response.id === undefined) response.id = id
    if (model && response.model === undefined) response.model = model
    if (system_fingerprint) response.system_fingerprint = system_fingerprint
    if (prompt_token_ids) response.prompt_token_ids = prompt_token_ids
  }

  return {
    hear(chunk: Chunk): Heard[] {
      account(chunk)
      if (chunk.usage) usage = usageOf(chunk.usage)
      const choice = chunk.choices?.[0]
      if (choice === undefined) return []
      if (choice.finish_reason) response.finish_reason = choice.finish_reason
      if (choice.token_ids) {
        response.completion_token_ids ??= []
        response.completion_token_ids.push(...choice.token_ids)
      }
      const said = choice.delta ?? choice.message ?? {}
      const heard: Heard[] = []
      const thought = said.reasoning_content ?? said.reasoning
      if (thought) heard.push({ kind: 'reasoning', text: thought })
      if (said.content) heard.push(...hearText(said.content, choice.logprobs?.content ?? []))
      if (said.refusal) heard.push({ kind: 'refusal', text: said.refusal })
      for (const [position, piece] of (said.tool_calls ?? []).entries()) {
        heard.push(...hearCall(piece, position))
      }
      return heard
    },
    end: (): Heard[] => splitter.end(),
    usage: () => usage,
    calls: (): HeardCall[] => namedOf(calls).map(({ name, arguments: args }) => ({ name, arguments: args })),
    response(): ModelCall['response'] {
      // In the order of the items: a call without arguments is told when all has been heard.
      const told = namedOf(calls).sort((a, b) => Number(a.arguments === '') - Number(b.arguments === ''))
      const ids = told.map(({ id }) => id)
      return ids.some(id => id !== '') ? { ...response, call_ids: ids } : response
    },
  }
}
const namedOf = <C extends { name: string }>(calls: C[]): C[] => calls.filter(({ name }) => name !== '')
