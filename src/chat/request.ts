// The body of a model call, built from the content of the log and nothing else. The agent sends it, and a rollout
// builds the same bytes again years later, so this code changes no body that was sent.
import type { ModelRequest } from '../contract/task-events.ts'
import type { CreateTaskBody, OutputItem, ToolDefinition } from '../contract/wire.ts'
import { type ChatMessage, messagesOf, toolsOf } from './messages.ts'
import { longestWindow, transcriptOf } from './transcript.ts'

export type Asked = Omit<ModelRequest, 'digest'>

/** The three parts of a body, which are sent as one object in this order. */
export type ModelBody = { request: Record<string, unknown>; messages: ChatMessage[]; tools?: unknown[] }

export const textOfBody = ({ request, messages, tools }: ModelBody): string =>
  JSON.stringify({ ...request, messages, ...(tools === undefined ? {} : { tools }) })

const streamed = (model: string) => ({ model, stream: true, stream_options: { include_usage: true } })

/** The schema that an answer must fit. It counts only when the answer is not streamed. */
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

/** The body of the call for an agent step. */
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
    messages: messagesOf(items, systemPrompt(request, inWords ? schema : undefined)),
    ...(tools === undefined ? {} : { tools }),
  }
}

const summarize =
  'You are given the record of a conversation between a user and an assistant that uses tools. Write a summary from ' +
  'which the assistant can go on without the record: what the user wants, what was found out and decided, exact ' +
  'names, numbers and paths that matter, what was done and what is still to do. Say nothing else.'

/** The body of the call for a summary of these items. */
export const summaryBody = (
  asked: Asked,
  { request, items }: { request: CreateTaskBody; items: OutputItem[] },
): ModelBody => {
  const config = request.agent_config ?? {}
  return {
    request: streamed(asked.model),
    messages: [
      { role: 'system', content: config.compress_prompt || summarize },
      { role: 'user', content: transcriptOf(items, config.max_model_length ?? longestWindow) },
    ],
  }
}
