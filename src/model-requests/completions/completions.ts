// The protocol of chat completions: writes a prompt as the body of a request.
import { type Fields, setIn } from '../fields.ts'
import { instructionsOf } from '../instructions.ts'
import type { Prompt } from '../prompt.ts'
import type { ModelBody, Protocol } from '../protocol.ts'
import type { Switches } from '../switches.ts'
import { parametersOf } from '../tool-schemas.ts'
import { messagesOf } from './messages.ts'

/** Tools as endpoints take them; undefined when there are none, since some endpoints refuse an empty list. */
const toolsOf = ({ tools }: Prompt, { tool_schemas }: Switches): unknown[] | undefined =>
  tools.length === 0
    ? undefined
    : tools.map(({ function: { name, description, parameters, strict } }) => ({
        type: 'function',
        function: {
          name,
          description: description ?? '',
          parameters: parametersOf(parameters, tool_schemas),
          ...(strict ? { strict } : {}),
        },
      }))

const formatOf = ({ schema }: Prompt, switches: Switches): Fields => {
  if (schema === undefined || switches.schema === 'words') return {}
  const response_format =
    switches.schema === 'json_object'
      ? { type: 'json_object' }
      : { type: 'json_schema', json_schema: { name: 'answer', schema } }
  return { response_format }
}

/** Fields that a request may set or unset. */
const defaultsOf = (prompt: Prompt, switches: Switches): Fields => ({
  ...(switches.stream === 'on' && switches.usage === 'on' ? { stream_options: { include_usage: true } } : {}),
  ...(prompt.maxTokens === undefined ? {} : { [switches.max_tokens]: prompt.maxTokens }),
  ...(prompt.tools.length === 0 || switches.parallel === 'unset'
    ? {}
    : { parallel_tool_calls: switches.parallel === 'on' }),
  ...formatOf(prompt, switches),
})

/** Both names of the greatest length mean the same: the endpoint gets the one that it knows. */
const renamed = (args: Fields, { max_tokens: name }: Switches): Fields => {
  const other = name === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  const { [other]: value, ...rest } = args
  return value === undefined || name in args ? args : { ...rest, [name]: value }
}

const write = (prompt: Prompt, switches: Switches): ModelBody => {
  const given = { ...defaultsOf(prompt, switches), ...renamed(prompt.args, switches) }
  const tools = toolsOf(prompt, switches)
  return {
    request: {
      ...setIn(given),
      model: prompt.model,
      stream: switches.stream === 'on',
    },
    messages: messagesOf(prompt.turns, instructionsOf(prompt, switches), switches),
    ...(tools === undefined ? {} : { tools }),
  }
}

export const completions: Protocol = { write }
