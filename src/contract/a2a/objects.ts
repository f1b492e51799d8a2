// The objects of A2A 1.0 as JSON: messages, tasks and what a stream tells of them. The forms are the protocol's own.
import Type, { type Static } from 'typebox'
import { OpenObject, optional } from '../wire/schema.ts'

const text = Type.String()
const texts = Type.Array(text)

export const taskStates = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const
export type A2ATaskState = (typeof taskStates)[number]

/** Exactly one of `text`, `raw` (base64), `url` and `data` is there. */
export const A2APart = Type.Object({
  text: optional(text),
  raw: optional(text),
  url: optional(text),
  data: Type.Optional(Type.Unknown()),
  metadata: optional(OpenObject),
  filename: optional(text),
  mediaType: optional(text),
})
export type A2APart = Static<typeof A2APart>

export const A2AMessage = Type.Object({
  messageId: Type.String({ minLength: 1, maxLength: 256 }),
  contextId: optional(text),
  taskId: optional(text),
  role: Type.Enum(['ROLE_USER', 'ROLE_AGENT']),
  parts: Type.Array(A2APart, { minItems: 1 }),
  metadata: optional(OpenObject),
  extensions: optional(texts),
  referenceTaskIds: optional(texts),
})
export type A2AMessage = Static<typeof A2AMessage>

export const A2AStatus = Type.Object({
  state: Type.Enum([...taskStates]),
  message: optional(A2AMessage),
  timestamp: optional(text),
})
export type A2AStatus = Static<typeof A2AStatus>

export const A2AArtifact = Type.Object({
  artifactId: text,
  name: optional(text),
  parts: Type.Array(A2APart),
})
export type A2AArtifact = Static<typeof A2AArtifact>

export const A2ATask = Type.Object({
  id: text,
  contextId: text,
  status: A2AStatus,
  artifacts: optional(Type.Array(A2AArtifact)),
  history: optional(Type.Array(A2AMessage)),
  metadata: optional(OpenObject),
})
export type A2ATask = Static<typeof A2ATask>

const inTask = { taskId: text, contextId: text }
/** One event of a stream: exactly one of its fields is there. */
export const A2AStreamResponse = Type.Object({
  task: optional(A2ATask),
  statusUpdate: optional(Type.Object({ ...inTask, status: A2AStatus })),
  artifactUpdate: optional(
    Type.Object({
      ...inTask,
      artifact: A2AArtifact,
      append: optional(Type.Boolean()),
      lastChunk: optional(Type.Boolean()),
    }),
  ),
})
export type A2AStreamResponse = Static<typeof A2AStreamResponse>

export const SentMessage = Type.Object({ task: A2ATask })
export const A2ATaskList = Type.Object({
  tasks: Type.Array(A2ATask),
  nextPageToken: text,
  pageSize: Type.Integer(),
  totalSize: Type.Integer(),
})

const Authentication = Type.Object({ scheme: text, credentials: optional(text) })
/** Where the changes of a task are sent. Answers have neither the token nor the credentials. */
export const PushConfig = Type.Object({
  tenant: optional(text),
  id: optional(Type.String({ maxLength: 256 })),
  taskId: optional(text),
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  token: optional(Type.String({ maxLength: 4096 })),
  authentication: optional(Authentication),
})
export type PushConfig = Static<typeof PushConfig>
export const PushConfigList = Type.Object({ configs: Type.Array(PushConfig), nextPageToken: text })

/** What an agent says of itself before anybody asks it something. */
export const AgentCard = Type.Object({
  name: text,
  description: text,
  version: text,
  documentationUrl: optional(text),
  supportedInterfaces: Type.Array(
    Type.Object({ url: text, protocolBinding: text, protocolVersion: text, tenant: optional(text) }),
  ),
  capabilities: Type.Object({
    streaming: Type.Boolean(),
    pushNotifications: Type.Boolean(),
    extendedAgentCard: Type.Boolean(),
  }),
  securitySchemes: OpenObject,
  securityRequirements: Type.Array(OpenObject),
  defaultInputModes: texts,
  defaultOutputModes: texts,
  skills: Type.Array(Type.Object({ id: text, name: text, description: text, tags: texts })),
})
export type AgentCard = Static<typeof AgentCard>

/** An error of HTTP+JSON. */
export const A2AError = Type.Object({
  error: Type.Object({
    code: Type.Integer(),
    status: text,
    message: text,
    details: Type.Array(OpenObject),
  }),
})
/** An answer of JSON-RPC: `result` or `error`. */
export const RpcAnswer = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Union([text, Type.Number(), Type.Null()]),
  result: Type.Optional(Type.Unknown()),
  error: optional(
    Type.Object({ code: Type.Integer(), message: text, data: optional(Type.Array(OpenObject)) }),
  ),
})
export type RpcError = { code: number; message: string; data: Record<string, unknown>[] }
