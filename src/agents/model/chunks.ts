// What an OpenAI-compatible endpoint sends, chunk by chunk, as what was said. Endpoints differ: reasoning has two
// names or stands in the text, usage comes last or never.
import type { ModelCall } from '../../contract/agent.ts'
import type { Logprob, Usage } from '../../contract/wire.ts'
import { type CallText, createCalls } from './calls.ts'
import { countOf, type Fields, fieldsOf, listOf, logprobsOf, textOf, tokenIdsOf, wordOf } from './given.ts'
import { createThinkSplitter } from './think.ts'

/** A JSON object, of whose fields nothing is known. */
export type Chunk = Fields
export type Heard = { kind: 'text' | 'reasoning' | 'refusal'; text: string; logprobs?: Logprob[] } | CallText

type Response = ModelCall['response']

/** No name is longer; what an endpoint sends in place of one is not kept. */
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

  /** Text that was said with what is known of its tokens: they stand with the newest text. */
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
    // vLLM gives token ids when it is asked to.
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
        textOf(said.reasoning_content) || textOf(said.reasoning),
        textOf(said.refusal),
      ]
      const content = textOf(said.content)
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
    /** What the endpoint said of its answer; fields that it left out are not there. */
    response(): Response {
      const known = { ...response, call_ids: calls.ids() }
      return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
    },
  }
}
