// What authors of agents see: the types of `ctx`, of its options, and of the functions of this package.

/** A JSON Schema. */
export type Schema = { readonly [key: string]: unknown }

/** The content of a message: text, or parts such as `{ type: 'text', text }`. */
export type Content =
  | string
  | readonly (string | { readonly type: string; readonly [key: string]: unknown })[]

/** An item of a conversation: a message, a call of a tool, the result of a tool, and so on. */
export type Item = { readonly type: string; readonly [key: string]: unknown }

/** A message for a model. */
export type Message =
  | { readonly role: 'user' | 'assistant' | 'system' | 'developer'; readonly content: Content }
  | Item

/** The definition of a tool, for a model. */
export type Tool = {
  readonly name: string
  readonly description?: string
  readonly parameters?: Schema
  readonly [key: string]: unknown
}

export type CallOptions = {
  /** Milliseconds after which the call fails with a TimeoutError. Each try has this time. */
  timeout?: number
  /** How many times a call that failed is made again. Each try is stored. The default is 0. */
  retries?: number
  /** Stops the call when it aborts. The call then fails with the kind `dropped`. */
  signal?: AbortSignal
}

export type ModelOptions = CallOptions & {
  /**
   * The tools that the model may call: names of tools that the task has, or definitions. The calls are made side by side, and the
   * model is asked again with their results, until it answers without a call.
   */
  tools?: readonly (string | Tool)[]
  /** A JSON Schema for the answer. `ctx.model` then gives the answer as a value instead of text. */
  schema?: Schema
  /** The name of another model. */
  model?: string
  /** The output of the task does not show the answer. */
  silent?: boolean
}

export type AskOptions = CallOptions & {
  /** A JSON Schema for the answer. `ctx.ask` then gives the answer as a value instead of text. */
  schema?: Schema
}

export type RunOptions = CallOptions & {
  /**
   * The function may run twice without harm. Then it runs again when nobody knows whether it has ended. Without `safe` the task
   * pauses in this case, with the reason `outcome_unknown`.
   */
  safe?: boolean
}

/** What an agent is asked. */
export type Input = {
  /** The text of the user's message. */
  readonly text: string
  /** The message as it was sent. */
  readonly content: Content
  /** The items of `history_messages` of the request. */
  readonly items: readonly Item[]
}

/** A message that the user has sent while the task was running. */
export type UserMessage = {
  readonly id: string
  readonly text: string
  readonly content: Content
  /** The event for a statechart, if the message brought one. */
  readonly event?: { readonly type: string; readonly [key: string]: unknown }
}

/** The environment of the session. */
export type Environment = {
  /** Takes a step: calls a tool of the environment. Resolves with the text of its result, or rejects with a ToolError. */
  step(tool: string, args?: object, options?: CallOptions): Promise<string>
  /** Resets the environment, and resolves with what it shows then. */
  reset(args?: object): Promise<unknown>
  /** Resolves with what the environment shows now. */
  observe(args?: object): Promise<unknown>
}

/**
 * Everything that an agent may do outside of its own code. The server stores each call before it is made, and each result
 * before the code gets it. When the process ends, the code runs again from its beginning, and gets the stored results. So the
 * code must do the same each time: it takes time and random numbers from `ctx`, and does everything else that may differ in
 * `ctx.run`.
 */
export type Context = {
  /** The id of the task. */
  readonly task: string
  /** The id of the session. */
  readonly session: string
  readonly input: Input
  /** The `agent_config` of the request. */
  readonly config: { readonly [key: string]: unknown }
  /** The `env` of the request: secrets that are never stored. */
  readonly vars: { readonly [name: string]: string }
  /** Aborts when this process must stop to work on the task: it was canceled or paused, or another process goes on. */
  readonly signal: AbortSignal
  /** The span of the task in the form of W3C Trace Context, when the server makes traces. */
  readonly traceparent: string | undefined

  /** The items of the conversation before this task. */
  history(): Promise<readonly Item[]>

  /**
   * Asks a model. Resolves with the text of the answer or, with `schema`, with the answer as a value. Rejects with a ModelError.
   *
   *     const text = await ctx.model('Which city is meant?')
   *     const { city } = await ctx.model<{ city: string }>('Which city is meant?', { schema })
   */
  model<T>(prompt: string | readonly Message[], options: ModelOptions & { schema: Schema }): Promise<T>
  model(prompt: string | readonly Message[], options?: ModelOptions): Promise<string>

  /** Calls a tool that the task has. Resolves with the text of the result, or rejects with a ToolError. */
  tool(name: string, args?: object, options?: CallOptions): Promise<string>

  /** Runs another agent as a task of its own. Resolves with the text of its answer, or rejects with AgentFailed. */
  agent(name: string, input: Content, config?: object, options?: CallOptions): Promise<string>

  /**
   * Asks the client, as with a call of a client tool: a person may take days to answer. Resolves with the text of the answer
   * or, with `schema`, with its value. Rejects with an AskError.
   */
  ask<T>(name: string, args: object, options: AskOptions & { schema: Schema }): Promise<T>
  ask(name: string, args?: object, options?: AskOptions): Promise<string>

  /** Waits for the next message that the user sends to the task. */
  message(options?: Pick<CallOptions, 'timeout' | 'signal'>): Promise<UserMessage>

  readonly env: Environment

  /** Waits for so many milliseconds, or until a time. No process needs to run meanwhile. */
  sleep(until: number | Date, options?: Pick<CallOptions, 'signal'>): Promise<void>

  /**
   * Runs a function with effects of its own, once, and stores what it returns, which must be JSON. Rejects with a RunError when the
   * function throws. `ctx` may not be used inside of the function.
   */
  run<T>(
    name: string,
    fn: (tools: { signal: AbortSignal }) => T | Promise<T>,
    options?: RunOptions,
  ): Promise<T>

  /** Adds a message of the agent to the output. */
  say(text: string): void
  /** Adds reasoning to the output. */
  think(text: string): void
  /** The time, in milliseconds since 1970: of the last result that the code has got. */
  now(): number
  /** A random number from 0 to 1, the same each time that the code runs. */
  random(): number
}

/** What an agent returns is its answer: text, or JSON. */
export type AgentFunction = (ctx: Context) => unknown

export type Description = {
  /** One sentence for people and models who choose an agent. */
  description?: string
  /** A JSON Schema of what the agent reads from `ctx.config`. */
  parameters?: Schema
  /** The version of the code, of at most 128 characters. Without it, the digest of the file counts. */
  version?: string
  /**
   * How clients of MCP run it. `required`: each call is a task, `none`: none is. Without it, a call that takes long becomes a
   * task.
   */
  task_support?: 'required' | 'optional' | 'none'
}

/** A machine of XState 5. */
export type Chart = {
  readonly id: string
  readonly config: object
  readonly root: object
  readonly implementations: object
  getStateNodeById(id: string): object
}

/** A function for `run:<name>` of a statechart. `input` is what the chart gives. */
export type MachineRun = (input: never, tools: { signal: AbortSignal }) => unknown

export type MachineOptions = Omit<Description, 'parameters'> & {
  parameters?: Schema
  /** The functions that the chart invokes as `run:<name>`. */
  run?: { readonly [name: string]: MachineRun }
}

/** An agent, as `agent` and `machineAgent` make it. */
export type Agent = Description & { readonly kind: 'function' | 'machine' }

export type WorkerOptions = {
  /** The address of the server, with or without `/v1`. */
  url: string
  /** A token with the role `worker`. */
  token: string
  /** The agents by their names: functions, machines, or what `agent` and `machineAgent` give. */
  agents: { readonly [name: string]: AgentFunction | Chart | Agent }
  /** The name of this worker in lists. The default is the name of the machine and the number of the process. */
  name?: string
  /** How many tasks the worker takes at once. The default is 16. */
  slots?: number
  /** The version of agents that have none of their own. The default is the digest of the main file. */
  version?: string
  /** Whether SIGTERM stops the worker. The default is true. */
  signals?: boolean
}

export type Worker = {
  /** The agents that the server does not take from this worker, with the reasons. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
  /** Waits at most 10 s for functions of `ctx.run` that are running, hands the tasks back, and closes the connection. */
  stop(): Promise<void>
}
