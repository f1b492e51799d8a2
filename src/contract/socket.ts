// The messages on the WebSocket at /ws, in both directions. The type of each message is defined only here.
import Type, { type Static, type TSchema } from 'typebox'
import {
  channelOf,
  type EventChannel,
  type EventName,
  eventChannels,
  eventNames,
  optInEvents,
  publicEventSchemas,
} from './events/public-events.ts'
import { Frame } from './frames.ts'
import {
  AnswerCallsBody,
  CreateTaskBody,
  DecideApprovalBody,
  EnvStepAnswer,
  ErrorObject,
  PostMessageBody,
  StepEnvBody,
  Task,
  TextId,
} from './wire.ts'

const Text = Type.String()
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

export const channels = [...eventChannels, 'task'] as const

export const eventsOf = (channel: EventChannel): EventName[] =>
  eventNames.filter(type => channelOf(type) === channel)
/** Whether a channel has events that subscribers get without naming their types. */
export const hasDefaultEvents = (channel: EventChannel): boolean =>
  eventsOf(channel).some(type => !optInEvents.has(type))
/**
 * The events of a channel that a subscriber gets without naming types. A channel without such events gives all of its
 * events.
 */
export const defaultEventsOf = (channel: EventChannel): EventName[] =>
  eventsOf(channel).filter(type => !hasDefaultEvents(channel) || !optInEvents.has(type))

const Channels = Type.Array(Type.Enum([...channels]))
const request_id = orNull(TextId)
/** The field that has the meaning of the header `Idempotency-Key` of HTTP. */
const idempotency_key = orNull(Type.String({ minLength: 1, maxLength: 256 }))
const ofTask = { request_id, task_id: Text }

/** The fields of a client's messages, by the `type` of the message. */
export const clientMessages = {
  auth: Type.Object({ request_id, token: Text }),
  subscribe: Type.Object({
    request_id,
    channels: Channels,
    /**
     * The cursor after which the client wants everything: a position or `earliest`, or for the channel `task` a
     * sequence number.
     */
    since: orNull(Type.Union([Type.Integer(), Text])),
    filter: orNull(
      Type.Object({
        types: orNull(Type.Array(Type.Enum([...eventNames]))),
        session_id: orNull(Text),
        task_id: orNull(Text),
      }),
    ),
    /** The task to follow; only with the channel `task`. */
    task_id: orNull(Text),
  }),
  unsubscribe: Type.Object({ request_id, channels: orNull(Channels), task_id: orNull(Text) }),
  create: Type.Object({ ...CreateTaskBody.properties, idempotency_key }),
  answer: Type.Object({ ...ofTask, ...AnswerCallsBody.properties }),
  approve: Type.Object({ ...ofTask, ...DecideApprovalBody.properties }),
  message: Type.Object({ ...ofTask, ...PostMessageBody.properties, idempotency_key }),
  cancel: Type.Object(ofTask),
  pause: Type.Object(ofTask),
  resume: Type.Object(ofTask),
  step: Type.Object({ ...StepEnvBody.properties, idempotency_key }),
  ping: Type.Object({ request_id }),
}
export type ClientMessageType = keyof typeof clientMessages
export type ClientFields<T extends ClientMessageType> = Static<(typeof clientMessages)[T]>
export const clientMessageTypes = Object.keys(clientMessages) as ClientMessageType[]

const echoed = { request_id: Type.Optional(Text) }

/** The messages of the server, by their `type`. The `type` of `event` and `frame` is that of the event or the frame. */
export const serverMessages = {
  authenticated: Type.Object({
    type: Type.Literal('authenticated'),
    ...echoed,
    user_id: Type.Union([Text, Type.Null()]),
    role: Text,
  }),
  subscribed: Type.Object({
    type: Type.Literal('subscribed'),
    ...echoed,
    channels: Channels,
    task_id: Type.Optional(Text),
    /** The following messages come after this position. */
    position: Type.Integer({ minimum: -1 }),
    /** True: the following messages begin with everything after `since`. */
    recovered: Type.Boolean(),
  }),
  unsubscribed: Type.Object({
    type: Type.Literal('unsubscribed'),
    ...echoed,
    channels: Channels,
    task_id: Type.Optional(Text),
  }),
  result: Type.Object({
    type: Type.Literal('result'),
    ...echoed,
    data: Type.Union([Task, EnvStepAnswer]),
    /** The server did nothing new: this is the result of an earlier, identical request. */
    replayed: Type.Optional(Type.Literal(true)),
  }),
  error: Type.Object({ type: Type.Literal('error'), ...echoed, error: ErrorObject }),
  ended: Type.Object({
    type: Type.Literal('ended'),
    channel: Type.Literal('task'),
    task_id: Text,
    /** The number of the last frame that was sent, or the cursor when none was sent. */
    id: Type.Integer({ minimum: -1 }),
  }),
  pong: Type.Object({ type: Type.Literal('pong'), ...echoed }),
  event: Type.Object({
    channel: Type.Enum([...eventChannels]),
    type: Text,
    data: Type.Union(Object.values(publicEventSchemas)),
    timestamp: Text,
    /** The position of the event. */
    id: Type.Integer({ minimum: 1 }),
  }),
  frame: Type.Object({
    channel: Type.Literal('task'),
    type: Text,
    data: Frame,
    /** The time of the frame. It is absent if the frame has no time. */
    timestamp: Type.Optional(Text),
    /** The sequence number of the frame. */
    id: Type.Integer({ minimum: 0 }),
  }),
}

/** The reasons for which the server closes a connection, with their close codes. */
export const closeCodes = {
  goingDown: 1001,
  tryLater: 1013,
  unauthenticated: 4001,
  forbidden: 4003,
  slow: 4008,
} as const
export type CloseReason = keyof typeof closeCodes
