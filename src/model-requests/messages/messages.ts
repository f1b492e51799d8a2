// The protocol of Anthropic Messages: writes a prompt as the body of a request.
// https://github.com/anthropics/anthropic-sdk-typescript/blob/main/src/resources/messages/messages.ts
import { closed } from '../closed-schema.ts'
import { type Fields, fieldsOf, setIn } from '../fields.ts'
import { instructionsOf } from '../instructions.ts'
import type { Prompt } from '../prompt.ts'
import type { ModelBody, Protocol } from '../protocol.ts'
import type { Switches } from '../switches.ts'
import { parametersOf } from '../tool-schemas.ts'
import { type Block, textBlock } from './blocks.ts'
import { withMarks } from './cache.ts'
import { conversationOf, isThought, type Message } from './turns.ts'

const toolsOf = ({ tools }: Prompt, { tool_schemas }: Switches): Fields[] =>
  tools.map(({ function: { name, description, parameters, strict } }) => ({
    name,
    ...(description ? { description } : {}),
    input_schema: parametersOf(parameters, tool_schemas),
    ...(strict ? { strict } : {}),
  }))

/** The tools of earlier calls, when none is offered: a conversation with calls must name its tools. */
const toolsCalled = (messages: Message[]): Fields[] => {
  const names = messages.flatMap(({ content }) =>
    content.flatMap(({ type, name }) => (type === 'tool_use' ? [name] : [])),
  )
  return [...new Set(names)].map(name => ({ name, input_schema: { type: 'object', properties: {} } }))
}

/** Names of other protocols for fields that this one has. */
const renamed = (args: Fields): Fields => {
  const { max_completion_tokens, max_output_tokens, stop, ...rest } = args
  const longest = max_completion_tokens ?? max_output_tokens
  return {
    ...(longest === undefined ? {} : { max_tokens: longest }),
    ...(stop === undefined ? {} : { stop_sequences: typeof stop === 'string' ? [stop] : stop }),
    ...rest,
  }
}

/** The greatest length of an answer, which a request must have. The thoughts count, too. */
const lengthOf = ({ maxTokens, args }: Prompt, { answer_room }: Switches): number => {
  const { budget_tokens: budget } = fieldsOf(args.thinking)
  return maxTokens ?? Number(answer_room) + (typeof budget === 'number' ? budget : 0)
}

/** The form of the answer, beside what the request has set there. A request may unset it. */
const outputOf = ({ schema, args }: Prompt, switches: Switches): Fields => {
  if (schema === undefined || switches.schema !== 'json_schema' || args.output_config === null) return {}
  const format = { type: 'json_schema', schema: closed(schema as Fields) }
  return { output_config: { format, ...fieldsOf(args.output_config) } }
}

/**
 * Whether the newest turn with calls began without thoughts that the endpoint would know, for example since another
 * model made it. With a budget for thoughts the endpoint refuses such a turn.
 */
const beganUnthought = (messages: Message[]): boolean => {
  const last = messages.findLast(({ role }) => role === 'assistant')?.content ?? []
  const [first] = last
  return last.some(({ type }) => type === 'tool_use') && first !== undefined && !isThought(first)
}

const choiceOf = ({ tools }: Prompt, { parallel }: Switches): Fields =>
  tools.length > 0 && parallel === 'off'
    ? { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }
    : {}

type Parts = { system: Block[]; messages: Message[]; tools: object[] }

const partsOf = (prompt: Prompt, switches: Switches): Parts => {
  const { system: first, messages } = conversationOf(prompt.turns, switches)
  const instructions = instructionsOf(prompt, switches)
  const system = [...(instructions === undefined ? [] : [textBlock(instructions)]), ...first]
  const tools = prompt.tools.length > 0 ? toolsOf(prompt, switches) : toolsCalled(messages)
  const parts = { system, messages, tools }
  const isCached = switches.cache === 'on' && prompt.once !== true && !('cache_control' in prompt.args)
  return isCached ? withMarks(parts) : parts
}

const write = (prompt: Prompt, switches: Switches): ModelBody => {
  const { system, messages, tools } = partsOf(prompt, switches)
  const thinking = fieldsOf(prompt.args.thinking).type === 'enabled' && beganUnthought(messages)
  const given = setIn({
    max_tokens: lengthOf(prompt, switches),
    ...choiceOf(prompt, switches),
    ...renamed(prompt.args),
    ...outputOf(prompt, switches),
    ...(thinking ? { thinking: null } : {}),
    ...(prompt.tools.length === 0 && tools.length > 0 ? { tool_choice: { type: 'none' } } : {}),
  })
  return {
    request: {
      ...given,
      model: prompt.model,
      stream: switches.stream === 'on',
      ...(system.length === 0 ? {} : { system }),
    },
    messages,
    ...(tools.length === 0 ? {} : { tools }),
  }
}

export const messages: Protocol = { write }
