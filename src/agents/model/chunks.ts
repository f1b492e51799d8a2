// Turns the chunks of an OpenAI-compatible endpoint into texts and calls. Endpoints differ: reasoning has two names or
// is part of the text, and usage comes last or never.
import type { ModelCall } from '../../contract/agent.ts'
import type { Logprob, Usage } from '../../contract/wire.ts'
import { type CallText, createCalls } from './calls.ts'
import {
  countOf,
  type Fields,
  fieldsOf,
  joinedText,
  listOf,
  logprobsOf,
  tokenIdsOf,
  wordOf,
} from './endpoint-values.ts'
import { createThinkSplitter } from './think.ts'

/** A JSON object whose fields are not checked. */
export type Chunk = Fields
export type Heard = { kind: 'text' | 'reasoning' | 'refusal'; text: string; logprobs?: Logprob[] } | CallText

type Response = ModelCall['response']

/** A name, cut to 256 characters; undefined for anything else. */
const nameOf = (value: unknown): string | undefined => wordOf(value).slice(0, 256) || undefined

const usageOf = (given: Fields): Usage | undefined => {
  const [input, output] = [countOf(given.prompt_tokens), countOf(given.completion_tokens)]
  if (input === undefined && output === undefined) return undefined
  const cached = countOf(fieldsOf(given.prompt_tokens_details).cached_tokens)
  const reasoning = countOf(fieldsOf(given.completion_tokens_details).reasoning_tokens)
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: countOf(given.total_tokens) ?? (input ?? 0) + (output ?? 0),
    ...(cached === undefined ? {} : { cached_tokens: cached }),
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
  }
}

export const createReader = () => {
  const splitter = createThinkSplitter()
  const calls = createCalls()
  const response: { [Field in keyof Response]?: Response[Field] | undefined } = {}
  let usage: Usage | undefined
  let probs: Logprob[] = []

  /** Returns the text of a chunk. Log probabilities of tokens wait for a piece of text that can carry them. */
  const hearText = (content: string, given: Logprob[]): Heard[] => {
    const said: Heard[] = splitter.hear(content)
    probs.push(...given)
    const last = said.at(-1)
    if (probs.length === 0 || last?.kind !== 'text') return said
    last.logprobs = probs
    probs = []
    return said
  }

  const account = (chunk: Chunk, choice: Fields) => {
    response.id ??= nameOf(chunk.id)
    response.model ??= nameOf(chunk.model)
    response.system_fingerprint = nameOf(chunk.system_fingerprint) ?? response.system_fingerprint
    response.finish_reason = nameOf(choice.finish_reason) ?? response.finish_reason
    // vLLM sends token ids on request.
    response.prompt_token_ids ??= tokenIdsOf(chunk.prompt_token_ids)
    const ids = tokenIdsOf(choice.token_ids)
    if (ids !== undefined) {
      response.completion_token_ids ??= []
      response.completion_token_ids.push(...ids)
    }
    usage = usageOf(fieldsOf(chunk.usage)) ?? usage
  }

  return {
    hear(chunk: Chunk): Heard[] {
      const choice = fieldsOf(listOf(chunk.choices)[0])
      account(chunk, choice)
      const said = fieldsOf(choice.delta ?? choice.message)
      const [thought, refusal] = [
        joinedText(said.reasoning_content) || joinedText(said.reasoning),
        joinedText(said.refusal),
      ]
      const content = joinedText(said.content)
      return [
        ...(thought === '' ? [] : [{ kind: 'reasoning' as const, text: thought }]),
        ...(content === '' ? [] : hearText(content, logprobsOf(choice.logprobs))),
        ...(refusal === '' ? [] : [{ kind: 'refusal' as const, text: refusal }]),
        ...calls.hear(said.tool_calls),
      ]
    },
    end: (): Heard[] => splitter.end(),
    usage: () => usage,
    calls: calls.all,
    callCount: calls.count,
    /** What the endpoint said about its answer, without the fields that it left out. */
    response(): Response {
      const known = { ...response, call_ids: calls.ids() }
      return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
    },
  }
}
