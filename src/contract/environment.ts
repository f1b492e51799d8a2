// The environment port: the class that an author writes (docs/environments.md), and one instance of it as the service
// sees it. The instance runs in a process of its own.
import type { Block, MessageContent, ToolDefinition } from './wire.ts'

/** How a session comes back after a restart: by repeating the recorded steps, from a snapshot, or not at all. */
export type Recovery = 'refold' | 'snapshot' | 'none'

type MaybePromise<T> = T | Promise<T>
export type OpenObject = Record<string, unknown>

export type StepContext = {
  /** More of the step's output, while it runs. */
  emit(text: string): void
  /** Aborts when the step takes too long or is canceled. */
  signal: AbortSignal
  /** A number from 0 to 1. The same step with the same seed gets the same numbers. */
  random(): number
  /** The time of the step, milliseconds since the epoch; a repeated step gets its original time. */
  now(): number
  /** The variables of the session; those of this step take precedence. */
  env_vars: Readonly<Record<string, string>>
}
export type StepResult = {
  content: MessageContent
  observation?: OpenObject
  /** The state as `observe` returns it; when it is absent, the service calls `observe`. */
  state?: OpenObject
  reward?: number
  terminated?: boolean
  truncated?: boolean
  info?: OpenObject
  blocks?: Block[]
}

export type SnapshotContext = {
  /** Names a part of the state that is not kept, and the reason. */
  leaveOut(what: string): void
  /** A backup is being made, so everything that earlier snapshots of the instance need must stay. */
  keepOld: boolean
}

/** An instance of an environment, as its author writes it. When `step` throws, the tool has failed. */
export type Environment = {
  /** Without a return value the service calls `observe`. Random numbers are those of step 0. */
  reset(
    seed: number,
    options: OpenObject,
    context: Pick<StepContext, 'random' | 'now'>,
  ): MaybePromise<OpenObject | undefined>
  step(tool: string, args: OpenObject, context: StepContext): MaybePromise<StepResult>
  observe(): MaybePromise<OpenObject>
  tools(): MaybePromise<ToolDefinition[]>
  snapshot?(context: SnapshotContext): MaybePromise<unknown>
  restore?(data: unknown): MaybePromise<void>
  close?(): MaybePromise<void>
}
export type EnvironmentClass = {
  new (kwargs: OpenObject, given: { env_vars: Record<string, string>; dir: string }): Environment
  recovery?: Recovery
  /** JSON Schema of `env_init_kwargs`. */
  parameters?: OpenObject
  description?: string
  /** Limits of the environment's input and storage, as a text for people. */
  limits?: string
  /** Milliseconds that a step may take. */
  stepTimeoutMs?: number
}

/** The module and class of an instance. `digest`: base64url(SHA-256) of the module's bytes. */
export type EnvironmentSource = { name: string; module: string; className: string; digest: string }

export type Observed = { state: OpenObject; tools: ToolDefinition[]; done: boolean }
export type ResetAnswer = Observed & { observation: OpenObject }
export type StepAnswer = Observed & {
  /** `incomplete`: the tool failed, or was stopped; `error` says why. */
  status: 'completed' | 'incomplete'
  content: MessageContent
  blocks: Block[]
  observation: OpenObject
  reward: number
  terminated: boolean
  truncated: boolean
  info: OpenObject
  error?: string
  /** The step was stopped or took too long: nobody knows how far it came. */
  stopped?: true
}

/** One instance in its process. Every call rejects with EnvironmentGone when the process has ended. */
export type Instance = {
  recovery: Recovery
  reset(given: { seed: number; options: OpenObject; now: number }): Promise<ResetAnswer>
  /**
   * `number` is the number of the step in its session: random numbers depend on it and on the seed. `env_vars` are for
   * this step alone.
   */
  step(
    given: {
      tool: string
      args: OpenObject
      seed: number
      number: number
      now: number
      env_vars?: Record<string, string> | undefined
    },
    watch: { emit(text: string): void; signal: AbortSignal },
  ): Promise<StepAnswer>
  observe(): Promise<Observed>
  /** Resolves with undefined when the class has no snapshots. */
  snapshot(context: SnapshotContext): Promise<unknown>
  restore(data: unknown): Promise<void>
  /** Resolves when the process has ended. */
  close(): Promise<void>
  /** Resolves with the reason when the process ends on its own or is killed because it broke a limit. */
  gone: Promise<string>
}
/** The process of an instance has ended. */
export class EnvironmentGone extends Error {}
/** The reason of a step's abort signal. `message` completes a sentence that begins with 'the step …'. */
export class StopStep extends Error {}

export class AuthorsError extends Error {}

/** Names that no environment may have: `/env/<name>` is, or may become, the path of another operation. */
export const reservedKinds: ReadonlySet<string> = new Set([
  'create',
  'step',
  'reset',
  'observation',
  'close',
  'session',
  'sessions',
  'cleanup',
])
