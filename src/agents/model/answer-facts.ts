// What an endpoint of chat completions says about its answer besides the texts and calls.
import type { ModelCall } from '../../contract/agent.ts'
import type { Usage } from '../../contract/wire.ts'
import { type Fields, fieldsOf, nameOf, tokenIdsOf } from './endpoint-values.ts'
import { saysCut } from './ends.ts'
import { usageOf } from './usage.ts'

type Response = { [Field in keyof ModelCall['response']]?: ModelCall['response'][Field] | undefined }

type Told = { response: ModelCall['response']; usage?: Usage }

/** What is known of an answer, without what is not. */
export const toldOf = (response: Response, usage: Usage | undefined): Told => {
  const known = Object.entries(response).filter(([, value]) => value !== undefined)
  return { response: Object.fromEntries(known), ...(usage === undefined ? {} : { usage }) }
}

const usageIn = (given: Fields): Usage | undefined =>
  usageOf({
    input: given.prompt_tokens,
    output: given.completion_tokens,
    total: given.total_tokens,
    cached: fieldsOf(given.prompt_tokens_details).cached_tokens,
    reasoning: fieldsOf(given.completion_tokens_details).reasoning_tokens,
  })

/** Why the answer ended. A word that says that it was cut counts, whoever in a chain of endpoints says it. */
const reasonOf = (before: string | undefined, choice: Fields): string | undefined => {
  const [own, native] = [nameOf(choice.finish_reason), nameOf(choice.native_finish_reason)]
  return own === undefined ? before : ([before, own, native].find(saysCut) ?? own)
}

export const createFacts = () => {
  const response: Response = {}
  let usage: Usage | undefined
  return {
    /** Takes what a message and its choice say. */
    hear(data: Fields, choice: Fields): void {
      response.id ??= nameOf(data.id)
      response.model ??= nameOf(data.model)
      response.system_fingerprint = nameOf(data.system_fingerprint) ?? response.system_fingerprint
      response.finish_reason = reasonOf(response.finish_reason, choice)
      // vLLM sends token ids on request.
      response.prompt_token_ids ??= tokenIdsOf(data.prompt_token_ids)
      const ids = tokenIdsOf(choice.token_ids)
      if (ids !== undefined) {
        response.completion_token_ids ??= []
        for (const id of ids) response.completion_token_ids.push(id)
      }
      usage = usageIn(fieldsOf(data.usage)) ?? usage
    },
    hasEnded: () => response.finish_reason !== undefined,
    /** All that was said, without the fields that the endpoint left out. */
    told: (more: Response): Told => toldOf({ ...response, ...more }, usage),
  }
}
