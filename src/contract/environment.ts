// The environment port. It consists of the class that an author writes (docs/environments.md), and the interface
// through which the service uses one instance of the class. Each instance runs in a process of its own.
import type { Block, MessageContent, ToolDefinition } from './wire.ts'

/** How a session comes back after a restart: by repeating the recorded steps, from a snapshot, or not at all. */
export type Recovery = 'refold' | 'snapshot' | 'none'

type MaybePromise<T> = T | Promise<T>
export type OpenObject = Record<string, unknown>

export type StepContext = {
  /** Streams more output of the step while the step runs. */
  emit(text: string): void
  /** Aborts when the step takes too long or is canceled. */
  signal: AbortSignal
  /** Returns a number from 0 to 1. A step that is repeated with the seed of its session gets its original numbers. */
  random(): number
  /** Returns the time of the step, in milliseconds since the epoch. A step that is repeated gets its original time. */
  now(): number
  /** The variables of the session and of this step. The variables of this step take precedence. */
  env_vars: Readonly<Record<string, string>>
}
export type StepResult = {
  content: MessageContent
  observation?: OpenObject
  /** The state in the form in which `observe` returns it. If it is absent, the service calls `observe`. */
  state?: OpenObject
  reward?: number
  terminated?: boolean
  truncated?: boolean
  info?: OpenObject
  blocks?: Block[]
}

export type SnapshotContext = {
  /** Reports a part of the state that is not kept. `what` names the part and the reason. */
  leaveOut(what: string): void
  /** True: a backup is being made, so the instance must keep everything that its earlier snapshots need. */
  keepOld: boolean
}

/** An instance of an environment, as its author writes it. When `step` throws, the tool has failed. */
export type Environment = {
  /** If `reset` returns nothing, the service calls `observe`. The random numbers of a reset are those of step 0. */
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
  /** The limits of the environment's input and storage, as a text for readers. */
  limits?: string
  /** The longest time that a step may take, in milliseconds. */
  stepTimeoutMs?: number
  /** True: an agent reads the whole observation after the content of each step. */
  showsObservation?: boolean
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
  /** The step was stopped or took too long, so it is unknown how much of the step was done. */
  stopped?: true
}

/** One instance in its process. Every call rejects with EnvironmentGone when the process has ended. */
export type Instance = {
  recovery: Recovery
  showsObservation: boolean
  reset(given: { seed: number; options: OpenObject; now: number }): Promise<ResetAnswer>
  /**
   * Takes a step. The random numbers of the step depend on `seed` and on `number`, the number of the step. `env_vars`
   * are the variables for this step alone.
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
  /** Resolves with the state. Resolves with undefined if the class cannot make snapshots. */
  snapshot(context: SnapshotContext): Promise<unknown>
  restore(data: unknown): Promise<void>
  /** Resolves when the process has ended. */
  close(): Promise<void>
  /** Resolves with the reason when the process ends by itself, or is killed because it exceeded a limit. */
  gone: Promise<string>
}
/** The process of an instance has ended. */
export class EnvironmentGone extends Error {}
/** The reason of a step's abort signal. `message` completes a sentence that begins with 'the step …'. */
export class StopStep extends Error {}

export class AuthorsError extends Error {}

/**
 * The beginning of the error with which `restore` says that the state which it got can never be restored. It ends the
 * session. After any other error of `restore`, the session waits for the next request.
 */
export const damagedState = 'its kept state is damaged'

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

/**
 * What the code of an agent asks of the environment session of its task. `args`: the `seed` and `options` of a reset.
 * `effectId`: a second reset with the same effect gives the answer of the first one, and changes nothing.
 */
export type EnvOperation = { of: 'reset' | 'observe'; args: Record<string, unknown>; effectId: string }
