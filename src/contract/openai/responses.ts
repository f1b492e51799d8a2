// The bodies of OpenAI's Responses, and what answers them.
import Type, { type Static } from 'typebox'
import { nullable, orNull } from '../wire/schema.ts'
import {
  audio,
  commonFields,
  functionFields,
  length,
  OpenObject,
  optional,
  roles,
  schemaFields,
  text,
} from './shared.ts'

const ResponsePart = Type.Union([
  Type.Object({ type: Type.Enum(['input_text', 'output_text', 'text']), text }),
  Type.Object({ type: Type.Literal('refusal'), refusal: text }),
  Type.Object({ type: Type.Literal('input_image'), image_url: text, detail: orNull(text) }),
  Type.Object({
    type: Type.Literal('input_file'),
    filename: orNull(text),
    file_data: orNull(text),
    file_url: orNull(text),
  }),
  Type.Object({ type: Type.Literal('input_audio'), input_audio: audio }),
])
export type ResponsePart = Static<typeof ResponsePart>
const content = Type.Union([text, Type.Array(ResponsePart)])

const status = orNull(text)
export const ResponseInputItem = Type.Union([
  Type.Object({
    type: optional(Type.Literal('message')),
    role: Type.Enum([...roles]),
    content,
    id: orNull(text),
    status,
  }),
  Type.Object({
    type: Type.Literal('function_call'),
    call_id: text,
    name: text,
    arguments: text,
    id: orNull(text),
    status,
  }),
  Type.Object({
    type: Type.Literal('function_call_output'),
    call_id: text,
    output: content,
    id: orNull(text),
    status,
  }),
  Type.Object({
    type: Type.Literal('mcp_call'),
    id: text,
    name: text,
    arguments: text,
    server_label: optional(text),
    output: orNull(text),
    error: Type.Optional(Type.Unknown()),
    status,
  }),
  Type.Object({
    type: Type.Literal('reasoning'),
    id: orNull(text),
    summary: Type.Array(Type.Object({ type: optional(text), text })),
    content: orNull(Type.Array(Type.Object({ type: optional(text), text }))),
    status,
  }),
  Type.Object({ type: Type.Literal('item_reference'), id: text }),
])
export type ResponseInputItem = Static<typeof ResponseInputItem>

const FunctionTool = Type.Object({ type: Type.Literal('function'), ...functionFields })
const TextFormat = Type.Union([
  Type.Object({ type: Type.Enum(['text', 'json_object']) }),
  Type.Object({ type: Type.Literal('json_schema'), ...schemaFields }),
])

export const CreateResponseBody = Type.Object({
  ...commonFields,
  input: Type.Union([text, Type.Array(ResponseInputItem)]),
  instructions: orNull(text),
  previous_response_id: orNull(text),
  background: orNull(Type.Boolean()),
  max_output_tokens: length,
  reasoning: orNull(Type.Object({ effort: orNull(text) })),
  text: orNull(Type.Object({ format: orNull(TextFormat) })),
  tools: orNull(Type.Array(FunctionTool)),
})
export type CreateResponseBody = Static<typeof CreateResponseBody>

export const responseStatuses = [
  'queued',
  'in_progress',
  'completed',
  'incomplete',
  'failed',
  'cancelled',
] as const
export type ResponseStatus = (typeof responseStatuses)[number]

const item = Type.Interface([OpenObject], { type: text })
export const ResponseUsage = Type.Object({
  input_tokens: Type.Integer(),
  input_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
  total_tokens: Type.Integer(),
})
export type ResponseUsage = Static<typeof ResponseUsage>

export const OpenAIResponse = Type.Object({
  id: text,
  object: Type.Literal('response'),
  created_at: Type.Integer(),
  completed_at: nullable(Type.Integer()),
  status: Type.Enum([...responseStatuses]),
  background: Type.Boolean(),
  error: nullable(Type.Object({ code: text, message: text })),
  incomplete_details: nullable(Type.Object({ reason: optional(text) })),
  instructions: nullable(text),
  max_output_tokens: nullable(Type.Integer()),
  max_tool_calls: Type.Null(),
  metadata: OpenObject,
  model: text,
  output: Type.Array(item),
  parallel_tool_calls: Type.Boolean(),
  previous_response_id: nullable(text),
  prompt_cache_key: Type.Null(),
  reasoning: Type.Object({ effort: nullable(text), summary: Type.Null() }),
  safety_identifier: Type.Null(),
  service_tier: text,
  store: Type.Boolean(),
  temperature: Type.Number(),
  text: Type.Object({ format: item }),
  tool_choice: Type.Unknown(),
  tools: Type.Array(item),
  top_logprobs: Type.Integer(),
  top_p: Type.Number(),
  presence_penalty: Type.Number(),
  frequency_penalty: Type.Number(),
  truncation: text,
  usage: nullable(ResponseUsage),
})
export type OpenAIResponse = Omit<Static<typeof OpenAIResponse>, 'output'> & { output: Item[] }
export type Item = { type: string } & Record<string, unknown>

/** An event of the stream of a response. */
export const ResponseEvent = Type.Interface([OpenObject], {
  type: text,
  sequence_number: Type.Integer({ minimum: 0 }),
})
export type ResponseEvent = { type: string; sequence_number: number } & Record<string, unknown>

export const DeletedResponse = Type.Object({
  id: text,
  object: Type.Literal('response'),
  deleted: Type.Literal(true),
})
export const ResponseInputItems = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(item),
  first_id: nullable(text),
  last_id: nullable(text),
  has_more: Type.Boolean(),
})
