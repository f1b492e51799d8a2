// The bodies of OpenAI's Chat Completions, and what answers them.
import Type, { type Static } from 'typebox'
import { nullable, orNull } from '../wire/schema.ts'
import { audio, commonFields, functionFields, length, optional, roles, schemaFields, text } from './shared.ts'

const ChatPart = Type.Union([
  Type.Object({ type: Type.Literal('text'), text }),
  Type.Object({ type: Type.Literal('refusal'), refusal: text }),
  Type.Object({
    type: Type.Literal('image_url'),
    image_url: Type.Object({ url: text, detail: orNull(text) }),
  }),
  Type.Object({ type: Type.Literal('input_audio'), input_audio: audio }),
  Type.Object({
    type: Type.Literal('file'),
    file: Type.Object({ filename: orNull(text), file_data: text }),
  }),
])
export type ChatPart = Static<typeof ChatPart>

/** `arguments`: JSON. */
export const CalledFunction = Type.Object({ name: text, arguments: text })
const ToolCall = Type.Object({
  id: text,
  type: optional(Type.Literal('function')),
  function: CalledFunction,
})
export const ChatMessage = Type.Object({
  role: Type.Enum([...roles, 'tool']),
  content: orNull(Type.Union([text, Type.Array(ChatPart)])),
  name: orNull(text),
  refusal: orNull(text),
  tool_calls: orNull(Type.Array(ToolCall)),
  tool_call_id: orNull(text),
})
export type ChatMessage = Static<typeof ChatMessage>

const ChatTool = Type.Object({ type: Type.Literal('function'), function: Type.Object(functionFields) })
const ChatFormat = Type.Union([
  Type.Object({ type: Type.Enum(['text', 'json_object']) }),
  Type.Object({ type: Type.Literal('json_schema'), json_schema: Type.Object(schemaFields) }),
])

export const CreateChatCompletionBody = Type.Object({
  ...commonFields,
  messages: Type.Array(ChatMessage, { minItems: 1 }),
  frequency_penalty: orNull(Type.Number()),
  logit_bias: orNull(Type.Record(Type.String(), Type.Number())),
  max_completion_tokens: length,
  max_tokens: length,
  n: orNull(Type.Integer({ minimum: 1, maximum: 1 })),
  presence_penalty: orNull(Type.Number()),
  reasoning_effort: orNull(text),
  response_format: orNull(ChatFormat),
  seed: orNull(Type.Integer()),
  stop: orNull(Type.Union([text, Type.Array(text)])),
  stream_options: orNull(Type.Object({ include_usage: orNull(Type.Boolean()) })),
  tools: orNull(Type.Array(ChatTool)),
})
export type CreateChatCompletionBody = Static<typeof CreateChatCompletionBody>

export const ChatUsage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  prompt_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
  completion_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
})
export type ChatUsage = Static<typeof ChatUsage>

export const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter'] as const
export type FinishReason = (typeof finishReasons)[number]
const GivenCall = Type.Object({
  id: text,
  type: Type.Literal('function'),
  function: CalledFunction,
})
export type GivenCall = Static<typeof GivenCall>

const head = { id: text, created: Type.Integer(), model: text }
export const ChatCompletion = Type.Object({
  ...head,
  object: Type.Literal('chat.completion'),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({
        role: Type.Literal('assistant'),
        content: nullable(text),
        refusal: nullable(text),
        tool_calls: optional(Type.Array(GivenCall)),
      }),
      logprobs: Type.Null(),
      finish_reason: Type.Enum([...finishReasons]),
    }),
  ),
  usage: ChatUsage,
})
export type ChatCompletion = Static<typeof ChatCompletion>
/** An entry of the stream of a completion. The last data of the stream is the text `[DONE]`. */
export const ChatChunk = Type.Object({
  ...head,
  object: Type.Literal('chat.completion.chunk'),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      delta: Type.Object({
        role: optional(Type.Literal('assistant')),
        content: optional(text),
        refusal: optional(text),
        tool_calls: optional(Type.Array(Type.Object({ index: Type.Integer(), ...GivenCall.properties }))),
      }),
      logprobs: Type.Null(),
      finish_reason: nullable(Type.Enum([...finishReasons])),
    }),
  ),
  usage: optional(nullable(ChatUsage)),
})
export type ChatChunk = Static<typeof ChatChunk>
