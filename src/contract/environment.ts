// The environment port: what an author writes (docs/environments.md), and what the service sees of one instance of it,
// which runs in a process of its own.
import type { Block, MessageContent, ToolDefinition } from './wire.ts'

/** How a session comes back after a restart: by doing again what was recorded, from a snapshot, or not at all. */
export type Recovery = 'refold' | 'snapshot' | 'none'

type MaybePromise<T> = T | Promise<T>
export type OpenObject = Record<string, unknown>

export type StepContext = {
  /** More of the step's output, while it runs. */
  emit(text: string): void
  /** Aborts when the step takes too long or is canceled. */
  signal: AbortSignal
  /** 0 to 1; the same numbers for the same step of the same seed. */
  random(): number
  /** Milliseconds since the epoch: the moment of the step, also when it is done again. */
  now(): number
  /** The variables of the session, and over them those that were given for this step. */
  env_vars: Readonly<Record<string, string>>
}
export type StepResult = {
  content: MessageContent
  observation?: OpenObject
  /** What `observe` would give; asked for when it is left out. */
  state?: OpenObject
  reward?: number
  terminated?: boolean
  truncated?: boolean
  info?: OpenObject
  blocks?: Block[]
}

export type SnapshotContext = {
  /** Names a part of the state that is not kept, and why. */
  leaveOut(what: string): void
  /** A backup is being made: what earlier snapshots of the instance need must stay. */
  keepOld: boolean
}

/** An instance of an environment, as its author writes it. A throw of `step` is the failure of the tool. */
export type Environment = {
  /** Nothing means what `observe` gives; random numbers are those of step 0. */
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
  /** How much it takes and keeps, for people. */
  limits?: string
  /** Milliseconds that a step may take. */
  stepTimeoutMs?: number
}

/** Where an instance comes from. `digest`: base64url(SHA-256) of the module's bytes. */
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
  /** It was told to stop, or took too long: how far it came is not known. */
  stopped?: true
}

/** One instance in its process. Each call rejects with EnvironmentGone when the process has ended. */
export type Instance = {
  recovery: Recovery
  reset(given: { seed: number; options: OpenObject; now: number }): Promise<ResetAnswer>
  /**
   * `number` is that of the step in its session: random numbers follow from it and the seed. `env_vars` are for this step
   * alone.
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
  /** Undefined where the class has none. */
  snapshot(context: SnapshotContext): Promise<unknown>
  restore(data: unknown): Promise<void>
  /** Resolves when the process has ended. */
  close(): Promise<void>
  /** Resolves with the reason when the process ends by itself or is killed for breaking a limit. */
  gone: Promise<string>
}
/** The process of an instance has ended. */
export class EnvironmentGone extends Error {}
/** What an environment's own code says no with; the instance lives on. */
/** Why a step is stopped, as the reason of its signal: `message` goes on after 'the step …'. */
export class StopStep extends Error {}

export class AuthorsError extends Error {}

/** No environment is called like this: `/env/<name>` is, or may become, a path of another operation. */
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
