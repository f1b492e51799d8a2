// The body of a model call, put together from what the log holds and nothing else: the agent sends it, and a rollout
// says years later, byte for byte, what was sent. A change of form is a new number beside the old one.
import type { ModelRequest } from '../contract/task-events.ts'
import type { CreateTaskBody, OutputItem, ToolDefinition } from '../contract/wire.ts'
import { type ChatMessage, messagesOf, toolsOf } from './messages.ts'
import { longestWindow, transcriptOf } from './transcript.ts'

export type Asked = Omit<ModelRequest, 'digest'>

/** A body in three: sent as one object, in this order. */
export type ModelBody = { request: Record<string, unknown>; messages: ChatMessage[]; tools?: unknown[] }

export const textOfBody = ({ request, messages, tools }: ModelBody): string =>
  JSON.stringify({ ...request, messages, ...(tools === undefined ? {} : { tools }) })

const streamed = (model: string) => ({ model, stream: true, stream_options: { include_usage: true } })

/** The schema that an answer must fit; asked for only when nobody watches it come. */
export const schemaOf = ({ stream, structured_output }: CreateTaskBody): object | undefined =>
  stream ? undefined : (structured_output ?? undefined)

const systemPrompt = (request: CreateTaskBody, schema: object | undefined): string | undefined => {
  const prompts = [
    request.agent_config?.developer_prompt,
    schema &&
      `Your answer must be JSON alone, without a fence, that fits this JSON Schema:\n${JSON.stringify(schema)}`,
  ]
  return prompts.filter(Boolean).join('\n\n') || undefined
}

/** A call for the next thing to say. */
export const stepBody = (
  asked: Asked,
  given: { request: CreateTaskBody; items: OutputItem[]; tools: ToolDefinition[] },
): ModelBody => {
  const { request, items } = given
  const config = request.agent_config ?? {}
  const schema = schemaOf(request)
  const inWords = asked.schema_in_words === true
  const tools = toolsOf(given.tools)
  return {
    request: {
      ...config.inference_args,
      ...request.inference_args,
      ...(config.max_response_length ? { max_tokens: config.max_response_length } : {}),
      ...(schema && !inWords
        ? { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }
        : {}),
      ...streamed(asked.model),
    },
    messages: messagesOf(items, asked.form, systemPrompt(request, inWords ? schema : undefined)),
    ...(tools === undefined ? {} : { tools }),
  }
}

const summarize =
  'You are given the record of a conversation between a user and an assistant that uses tools. Write a summary from ' +
  'which the assistant can go on without the record: what the user wants, what was found out and decided, exact ' +
  'names, numbers and paths that matter, what was done and what is still to do. Say nothing else.'

/** A call for a summary of these items. */
export const summaryBody = (
  asked: Asked,
  { request, items }: { request: CreateTaskBody; items: OutputItem[] },
): ModelBody => {
  const config = request.agent_config ?? {}
  return {
    request: streamed(asked.model),
    messages: [
      { role: 'system', content: config.compress_prompt || summarize },
      { role: 'user', content: transcriptOf(items, asked.form, config.max_model_length ?? longestWindow) },
    ],
  }
}
