// The protocol of provider packages of the AI SDK: writes a prompt as the call options of their specification
// (https://ai-sdk.dev/providers/community-providers/custom-providers), as JSON. The package makes the real body of it.
import { type Fields, setIn } from '../fields.ts'
import { instructionsOf } from '../instructions.ts'
import type { Prompt } from '../prompt.ts'
import type { ModelBody, Protocol } from '../protocol.ts'
import type { Switches } from '../switches.ts'
import { parametersOf } from '../tool-schemas.ts'
import { sdkPrompt } from './messages.ts'

/** The names of call options, by the names that requests use for them. */
const optionNames: Record<string, string> = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  stop: 'stopSequences',
  seed: 'seed',
  max_tokens: 'maxOutputTokens',
  max_completion_tokens: 'maxOutputTokens',
  reasoning_effort: 'reasoning',
  tool_choice: 'toolChoice',
  providerOptions: 'providerOptions',
}

const choiceOf = (value: unknown): unknown => {
  if (typeof value === 'string') return { type: value }
  const { name } = ((value as Fields | null)?.function ?? {}) as Fields
  return typeof name === 'string' ? { type: 'tool', toolName: name } : value
}
const optionValue = (option: string, value: unknown): unknown => {
  if (option === 'toolChoice') return choiceOf(value)
  return option === 'stopSequences' && typeof value === 'string' ? [value] : value
}

/** The arguments of a request: call options, null to unset them, and `further` fields that only the provider knows. */
const given = (args: Fields): Fields => {
  const options: Fields = {}
  const further: Fields = {}
  for (const [name, value] of Object.entries(args)) {
    const option = Object.hasOwn(optionNames, name) ? optionNames[name] : undefined
    if (value === null) options[name === 'response_format' ? 'responseFormat' : (option ?? name)] = null
    else if (option === undefined) further[name] = value
    else options[option] = optionValue(option, value)
  }
  return Object.keys(further).length === 0 ? options : { ...options, further }
}

const toolsOf = ({ tools }: Prompt, { tool_schemas }: Switches): Fields[] =>
  tools.map(({ function: { name, description, parameters, strict } }) => ({
    type: 'function',
    name,
    description: description ?? '',
    inputSchema: parametersOf(parameters, tool_schemas),
    ...(strict ? { strict } : {}),
  }))

const formatOf = ({ schema }: Prompt, { schema: how }: Switches): Fields => {
  if (schema === undefined || how === 'words') return {}
  return { responseFormat: { type: 'json', ...(how === 'json_schema' ? { schema, name: 'answer' } : {}) } }
}

/** The call options, with `model`, `stream: false` and `includeUsage: false`, which are none of them. */
const write = (prompt: Prompt, switches: Switches): ModelBody => {
  const tools = toolsOf(prompt, switches)
  return {
    request: {
      ...setIn({
        ...(prompt.maxTokens === undefined ? {} : { maxOutputTokens: prompt.maxTokens }),
        ...formatOf(prompt, switches),
        ...given(prompt.args),
      }),
      model: prompt.model,
      ...(switches.stream === 'off' ? { stream: false } : {}),
      ...(switches.usage === 'off' ? { includeUsage: false } : {}),
    },
    messages: sdkPrompt(prompt.turns, instructionsOf(prompt, switches), switches),
    field: 'prompt',
    ...(tools.length === 0 ? {} : { tools }),
  }
}

export const aiSdk: Protocol = { write }
