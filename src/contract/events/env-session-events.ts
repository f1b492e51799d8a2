// The events of an environment session, as its stream in the log holds them. Together with the environment's own code
// they are enough to restore the session and to show what happened in it.
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { Block, MessageContent, ToolDefinition } from '../wire.ts'

const optional = Type.Optional
const Text = Type.String()
const Open = Type.Record(Type.String(), Type.Unknown())
/** Milliseconds since the epoch. */
const Moment = Type.Integer()
/**
 * The fields by which a repeated request is recognized. `digest` leaves out fields that may differ between requests
 * with one key (`request_id`, `stream`). `body_digest` covers the whole body and is compared when the request has no
 * key.
 */
const Keys = { idempotency_key: optional(Text), digest: optional(Text), body_digest: optional(Text) }

/**
 * The variables for this step alone: their names, with `***` in place of the values. If the steps of the environment
 * are repeated after a restart, `secret_ref` is the reference under which the values are kept.
 */
const StepVars = { env_vars: optional(Open), secret_ref: optional(Text) }

const Seen = { observation: Open, state: Open, done: Type.Boolean() }
/**
 * The number of the session's steps before this event; absent: 0. The random numbers of a later step depend on the
 * number of steps since this event.
 */
const Begun = { steps_before: optional(Type.Integer()) }

/** A kept state of the environment: a file outside of the log, and the digest of the file. */
const Snapshot = Type.Object({ file: Text, digest: Text })
export type Snapshot = Static<typeof Snapshot>

const payloads = {
  /**
   * The session got a new instance, which was reset. A closed session may be created again; its step numbers continue.
   */
  EnvSessionCreated: {
    session_id: Text,
    env_id: Text,
    user_id: Text,
    client_id: Text,
    /**
     * The name by which the server finds the environment again, and the digest of its module at the time of this event.
     * The session record shows the name as `kind`.
     */
    source: Type.Object({ name: Text, digest: Text }),
    recovery: Type.Enum(['refold', 'snapshot', 'none']),
    /** An agent gets the whole observation with the result of each step. */
    shows_observation: optional(Type.Literal(true)),
    kwargs: Open,
    /** The names of the variables, with `***` in place of the values. */
    env_vars: Open,
    secret_ref: optional(Text),
    seed: Type.Integer(),
    now: Moment,
    tools: Type.Array(ToolDefinition),
    snapshot: optional(Snapshot),
    ...Begun,
    ...Seen,
    ...Keys,
  },
  /**
   * A step is about to run. This event is stored only if the environment does not declare its steps repeatable
   * (`refold`).
   */
  EnvStepIntended: {
    step: Type.Integer(),
    effect_id: Text,
    tool_name: Text,
    tool_args: Open,
    now: Moment,
    env_vars: optional(Open),
    /** The number of the run of the task's call. If it is absent, this is the first run. */
    attempt: optional(Type.Integer()),
    ...Keys,
  },
  EnvStepCompleted: {
    step: Type.Integer(),
    effect_id: Text,
    tool_name: Text,
    tool_args: Open,
    now: Moment,
    item_id: Text,
    status: Type.Enum(['completed', 'incomplete']),
    content: MessageContent,
    blocks: optional(Type.Array(Block)),
    reward: Type.Number(),
    terminated: Type.Boolean(),
    truncated: Type.Boolean(),
    info: Open,
    /** The step was stopped, or took too long. */
    stopped: optional(Type.Literal(true)),
    /**
     * The result of the step is unknown: the server stopped, or its disk failed, after the intent was stored and before
     * the result was.
     */
    unknown: optional(Type.Literal(true)),
    /** Present when the tools have changed. */
    tools: optional(Type.Array(ToolDefinition)),
    task_id: optional(Text),
    snapshot: optional(Snapshot),
    ...StepVars,
    ...Seen,
    ...Keys,
  },
  EnvSessionReset: {
    seed: Type.Integer(),
    options: Open,
    now: Moment,
    tools: optional(Type.Array(ToolDefinition)),
    snapshot: optional(Snapshot),
    ...Begun,
    ...Seen,
    ...Keys,
  },
  EnvSessionClosed: { reason: Text },
  EnvSessionDeleted: { by: Text },
} satisfies Record<string, TProperties>

export type EnvSessionEventType = keyof typeof payloads
type Data = { [T in EnvSessionEventType]: Static<Type.TObject<(typeof payloads)[T]>> }
export type EnvSessionEvent = { [T in EnvSessionEventType]: { type: T; data: Data[T] } }[EnvSessionEventType]
export type EnvSessionEventData<T extends EnvSessionEventType> = Data[T]
/** The schema of each event's payload, by its type. */
export const envSessionEventSchemas: Record<EnvSessionEventType, TSchema> = Object.fromEntries(
  Object.entries(payloads).map(([type, data]) => [type, Type.Object(data)]),
) as unknown as Record<EnvSessionEventType, TSchema>
export const envSessionEventVersion = 1

export const envSessionStream = (sessionId: string): string => `env-${sessionId}`
export const isEnvSessionStream = (stream: string): boolean => stream.startsWith('env-')
/**
 * The reference under which the values of a step's own variables are kept. It begins with the stream of the session.
 */
export const stepSecretRef = (stream: string, effectId: string): string => `${stream} ${effectId}`
export const streamOfStepSecret = (ref: string): string => ref.slice(0, Math.max(0, ref.indexOf(' ')))
export const sessionIdOf = (stream: string): string => stream.slice('env-'.length)
