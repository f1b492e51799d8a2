// The events of an environment session, as its stream in the log holds them. Together with the environment's own code
// they are enough to restore the session and to show what happened in it.
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { Block, MessageContent, ToolDefinition } from './wire.ts'

const optional = Type.Optional
const Text = Type.String()
const Open = Type.Record(Type.String(), Type.Unknown())
/** Milliseconds since the epoch. */
const Moment = Type.Integer()
/**
 * What identifies a repeated request. `digest` leaves out fields that may differ under one key (`request_id`, `stream`).
 * `body_digest` covers the whole body; it is stored for requests without a key, and missing in events of earlier builds.
 */
const Keys = { idempotency_key: optional(Text), digest: optional(Text), body_digest: optional(Text) }

/**
 * Variables for this step alone: names, with their values hidden. `secret_ref` says where the values are kept, for an
 * environment whose steps are repeated after a restart.
 */
const StepVars = { env_vars: optional(Open), secret_ref: optional(Text) }

const Seen = { observation: Open, state: Open, done: Type.Boolean() }
/** The number of steps before; absent: none. Random numbers of a step depend on its number counted from here. */
const Begun = { steps_before: optional(Type.Integer()) }

/** A file beside the log, whose digest the log holds. Only the newest snapshot is kept. */
const Snapshot = Type.Object({ file: Text, digest: Text })
export type Snapshot = Static<typeof Snapshot>

const payloads = {
  /** A new instance, and its first reset. A closed session may be created again; its step numbers continue. */
  EnvSessionCreated: {
    session_id: Text,
    env_id: Text,
    user_id: Text,
    client_id: Text,
    /** The name by which the environment is found again, and the digest of its module at that time. */
    source: Type.Object({ name: Text, digest: Text }),
    /** The same name, for the session record. It is missing in events of earlier builds, whose records show none. */
    kind: optional(Text),
    recovery: Type.Enum(['refold', 'snapshot', 'none']),
    kwargs: Open,
    /** Names with their values hidden. */
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
  /** Stored before a step of an environment that does not declare its actions repeatable (`refold`). */
  EnvStepIntended: {
    step: Type.Integer(),
    effect_id: Text,
    tool_name: Text,
    tool_args: Open,
    now: Moment,
    env_vars: optional(Open),
    /** The number of the run of the task's call; absent: the first. */
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
    /** The step was intended and its result was never stored: the server stopped or its disk failed while it ran. */
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
/** The reference under which the values of a step's own variables are kept; it names their session. */
export const stepSecretRef = (stream: string, effectId: string): string => `${stream} ${effectId}`
export const streamOfStepSecret = (ref: string): string => ref.slice(0, Math.max(0, ref.indexOf(' ')))
export const sessionIdOf = (stream: string): string => stream.slice('env-'.length)
