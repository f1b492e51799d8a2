// The parameters of the methods of A2A 1.0. Only fields that have an effect here are known.
import Type, { type Static } from 'typebox'
import { OpenObject, optional } from '../wire/schema.ts'
import { A2AMessage, PushConfig, taskStates } from './objects.ts'

const text = Type.String()
const historyLength = optional(Type.Integer({ minimum: 0 }))
/** The name of an agent: another way to say `/a2a/<agent>`. */
const tenant = optional(text)
/** In paths, the id of a task may be empty for a request that is refused later with the right error. */
const id = Type.String({ minLength: 1 })

export const SendMessageRequest = Type.Object({
  tenant,
  message: A2AMessage,
  configuration: optional(
    Type.Object({
      acceptedOutputModes: optional(Type.Array(text)),
      taskPushNotificationConfig: optional(PushConfig),
      historyLength,
      returnImmediately: optional(Type.Boolean()),
    }),
  ),
  metadata: optional(OpenObject),
})
export type SendMessageRequest = Static<typeof SendMessageRequest>

export const GetTaskRequest = Type.Object({ tenant, id, historyLength })
export type GetTaskRequest = Static<typeof GetTaskRequest>

export const ListTasksRequest = Type.Object({
  tenant,
  contextId: optional(text),
  status: optional(Type.Enum([...taskStates, 'TASK_STATE_UNSPECIFIED'])),
  pageSize: optional(Type.Integer({ minimum: 1, maximum: 100 })),
  pageToken: optional(text),
  historyLength,
  statusTimestampAfter: optional(text),
  includeArtifacts: optional(Type.Boolean()),
})
export type ListTasksRequest = Static<typeof ListTasksRequest>

export const OneTaskRequest = Type.Object({ tenant, id, metadata: optional(OpenObject) })
export type OneTaskRequest = Static<typeof OneTaskRequest>
export const CreatePushConfigRequest = Type.Object({ ...PushConfig.properties, taskId: id })
export type CreatePushConfigRequest = Static<typeof CreatePushConfigRequest>
export const OnePushConfigRequest = Type.Object({ tenant, taskId: id, id })
export type OnePushConfigRequest = Static<typeof OnePushConfigRequest>
export const ListPushConfigsRequest = Type.Object({
  tenant,
  taskId: id,
  pageSize: optional(Type.Integer({ minimum: 1, maximum: 100 })),
  pageToken: optional(text),
})
export type ListPushConfigsRequest = Static<typeof ListPushConfigsRequest>
export const ExtendedCardRequest = Type.Object({ tenant })

/** A call of JSON-RPC. */
export const RpcCall = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Type.Union([text, Type.Number(), Type.Null()])),
  method: text,
  params: optional(OpenObject),
})
export type RpcCall = Static<typeof RpcCall>
