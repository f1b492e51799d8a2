// The protocol of OpenAI Responses: writes a prompt as the body of a request. The endpoint stores nothing, so each
// request has the whole conversation, with the reasoning in its encrypted form.
// https://github.com/openai/openai-node/blob/master/src/resources/responses/responses.ts
import { type Fields, fieldsOf, setIn } from '../fields.ts'
import { instructionsOf } from '../instructions.ts'
import type { Prompt } from '../prompt.ts'
import type { ModelBody, Protocol } from '../protocol.ts'
import type { Switches } from '../switches.ts'
import { parametersOf } from '../tool-schemas.ts'
import { itemsOf } from './items.ts'

/** Schemas of tools are as the request has them. Without `strict`, the endpoint would close them. */
const toolsOf = ({ tools }: Prompt, { tool_schemas }: Switches): Fields[] =>
  tools.map(({ function: { name, description, parameters, strict } }) => ({
    type: 'function',
    name,
    description: description ?? '',
    parameters: parametersOf(parameters, tool_schemas),
    strict: strict === true,
  }))

/** Names of other protocols for fields that this one has. */
const renamed = (args: Fields): Fields => {
  const { max_tokens, max_completion_tokens, reasoning_effort: effort, ...rest } = args
  const longest = max_completion_tokens ?? max_tokens
  return {
    ...(longest === undefined ? {} : { max_output_tokens: longest }),
    ...rest,
    ...(effort ? { reasoning: { effort, ...fieldsOf(args.reasoning) } } : {}),
  }
}

/** The form of the answer, beside what the request has set there. A request may unset it. */
const formOf = ({ schema, args }: Prompt, switches: Switches): Fields => {
  if (schema === undefined || switches.schema === 'words' || args.text === null) return {}
  const format =
    switches.schema === 'json_object'
      ? { type: 'json_object' }
      : { type: 'json_schema', name: 'answer', schema, strict: false }
  return { text: { format, ...fieldsOf(args.text) } }
}

const sealed = 'reasoning.encrypted_content'
/** What the answer shall have beside its texts; a request may add to it, or unset it. */
const includeOf = ({ args: { include } }: Prompt, switches: Switches): Fields => {
  if (include === null || switches.sealed === 'off') return {}
  return { include: [...new Set([sealed, ...(Array.isArray(include) ? include : [])])] }
}

const parallelOf = ({ tools }: Prompt, { parallel }: Switches): Fields =>
  tools.length === 0 || parallel === 'unset' ? {} : { parallel_tool_calls: parallel === 'on' }

const write = (prompt: Prompt, switches: Switches): ModelBody => {
  const given = {
    ...(prompt.maxTokens === undefined ? {} : { max_output_tokens: prompt.maxTokens }),
    ...parallelOf(prompt, switches),
    store: false,
    ...renamed(prompt.args),
    ...includeOf(prompt, switches),
    ...formOf(prompt, switches),
  }
  const instructions = instructionsOf(prompt, switches)
  const tools = toolsOf(prompt, switches)
  return {
    request: {
      ...setIn(given),
      model: prompt.model,
      stream: switches.stream === 'on',
      ...(instructions === undefined ? {} : { instructions }),
    },
    field: 'input',
    messages: itemsOf(prompt.turns, switches),
    ...(tools.length === 0 ? {} : { tools }),
  }
}

export const responses: Protocol = { write }
