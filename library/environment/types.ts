// What authors of environments see. src/contract/environment.ts has the same types for the server.

/** A JSON Schema. */
export type Schema = { readonly [key: string]: unknown }

type OpenObject = Record<string, unknown>
type MaybePromise<T> = T | Promise<T>

/** The definition of a tool. `parameters`: a JSON Schema of its arguments. */
export type ToolDefinition = {
  type: 'function'
  function: { name: string; parameters: OpenObject; description?: string; strict?: boolean }
}

/** How a session comes back after a restart: by repeating the stored steps, from a snapshot, or not at all. */
export type Recovery = 'refold' | 'snapshot' | 'none'

/** What a step may use. */
export type StepContext = {
  /** Sends text to the client while the step runs. */
  emit(text: string): void
  /** Aborts when the step takes too long or is canceled. */
  signal: AbortSignal
  /** A number from 0 to below 1. A step that is repeated gets the numbers that it got the first time. */
  random(): number
  /** The time of the step in milliseconds since 1970. A step that is repeated gets the time that it got the first time. */
  now(): number
  /** The variables of the session and of this step. Those of the step take precedence. */
  env_vars: Readonly<Record<string, string>>
}

/** What a step gives. */
export type StepResult = {
  /** What the agent reads: a text, or a list of texts and content items. */
  content: string | (string | { type: 'text'; text: string })[]
  /** What the agent observes after the step. Without it: the state. */
  observation?: OpenObject
  /** The state. Without it: what `observe` gives. */
  state?: OpenObject
  reward?: number
  /** The episode has ended by its own rules. */
  terminated?: boolean
  /** A limit has ended the episode. */
  truncated?: boolean
  info?: OpenObject
}

export type SnapshotContext = {
  /** Tells the server that the snapshot leaves something out, and why. */
  leaveOut(what: string): void
  /** A backup is being made: keep all files that earlier snapshots name. */
  keepOld: boolean
}

/** An instance of an environment. When `step` throws, the step fails and the instance goes on. */
export type Environment = {
  /** The observation. When it gives nothing, the state is the observation. */
  reset(
    seed: number,
    options: OpenObject,
    context: Pick<StepContext, 'random' | 'now'>,
  ): MaybePromise<OpenObject | undefined>
  step(tool: string, args: OpenObject, context: StepContext): MaybePromise<StepResult>
  /** The state. */
  observe(): MaybePromise<OpenObject>
  tools(): MaybePromise<ToolDefinition[]>
  /** The state to store, for a class whose `recovery` is `snapshot`. */
  snapshot?(context: SnapshotContext): MaybePromise<unknown>
  /** Takes what `snapshot` gave. */
  restore?(data: unknown): MaybePromise<void>
  close?(): MaybePromise<void>
}

/** The class of an environment. */
export type EnvironmentClass = {
  /** `kwargs`: the `env_init_kwargs` of the create. `dir`: the only folder in which the instance may write. */
  new (kwargs: OpenObject, given: { env_vars: Record<string, string>; dir: string }): Environment
  /** Without it: `refold`. */
  recovery?: Recovery
  /** A JSON Schema of `env_init_kwargs`. */
  parameters?: OpenObject
  description?: string
  /** How much input the environment takes and how much it stores, as a text. */
  limits?: string
  /** The longest time that a step may take, in milliseconds. */
  stepTimeoutMs?: number
  /** An agent reads the whole observation after the content of each step. */
  showsObservation?: boolean
}
