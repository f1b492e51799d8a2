// What authors of tests see: the server, its clock, its model, and its tasks.
import type { Agent, AgentFunction, Chart, Content } from '../agent/types.ts'

/** A span of time: milliseconds, or a text such as `'7 days'`, `'90 minutes'` or `'1.5 s'`. */
export type Span = number | string

/** An answer of the fake model. docs/fake-model.md has all fields. */
export type ModelAnswer = {
  /** For requests whose newest message contains this text, any number of times. */
  when?: string
  text?: string
  reasoning?: string
  tool_calls?: readonly { name: string; arguments?: object | string }[]
  /** An error instead of an answer. */
  error?: { status: number; message?: string; headers?: Record<string, string> }
  /** The fault, or the faults, that this answer plays. */
  fault?: string | readonly string[]
  [field: string]: unknown
}

/** Whether the server dies right before an append is written, or right after, before anybody hears of it. */
export type KillPoint = 'before' | 'after'

/** A function of `ctx.run` that was running when the server or the agents were killed, and is not `safe`. */
export type UnknownEffect = {
  /** The id of the task. */
  task: string
  /** The name in `ctx.run(name, …)`. */
  name: string
}

export type ServerOptions = {
  /** The agents: functions and statecharts by their names, which run in the process of the test, or a folder (`AGENT_PATH`). */
  agents?: { readonly [name: string]: AgentFunction | Chart | Agent } | string
  /** A folder of environments (`ENV_PATH`). */
  environments?: string
  /** The script of the fake model. Without it, the model gives plausible answers. */
  model?: readonly ModelAnswer[]
  /** Faults of the fake model, such as `'cut-in-text'` for all requests, or `'cut-in-text@2'` for the second. */
  faults?: readonly string[]
  /** What the clock shows at the beginning. The default is the real time. */
  at?: Date | number | string
  /** The data folder. The default is a new folder, which `stop` removes. */
  dataDir?: string
  /** Further variables of the server (docs/configuration.md). The variables of the test's process do not count. */
  variables?: { readonly [name: string]: string }
  /** Gets the lines that the server writes for its operator. */
  onLine?: (line: { level: string; message: string; fields: Record<string, unknown> }) => void
  /**
   * Decides what becomes of a task that is paused because of an unknown effect, as a person would who looks outside. What it
   * returns is the result of the function; undefined: the function runs again. Without it, `task.ended` fails.
   */
  onUnknownEffect?: (effect: UnknownEffect) => unknown
}

/** An item of the output of a task. */
export type OutputItem = {
  readonly type: string
  readonly name?: string
  readonly message_content?: string | readonly { readonly type: string; readonly text?: string }[]
  readonly [field: string]: unknown
}

/** A task as `GET /v1/tasks/{id}` shows it. */
export type TaskState = {
  readonly id: string
  readonly status: string
  readonly output: readonly OutputItem[]
  readonly error?: unknown
  readonly metadata?: { readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

export type Question = {
  readonly id: string
  /** The name in `ctx.ask(name, …)`. */
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: each agent asks in its own way, and its test knows how
  readonly arguments: any
}

/** A task, for a test. When the server restarts meanwhile, each call goes on after that. */
export type TestTask = {
  readonly id: string
  get(): Promise<TaskState>
  /** Waits until the task fits. Rejects when it has ended and does not. */
  until(fits: (task: TaskState) => boolean): Promise<TaskState>
  /** Waits until the task asks with `ctx.ask`, and resolves to its question. */
  question(): Promise<Question>
  /** Answers its question: with a text, or with another value as JSON. */
  answer(value: unknown, question?: Question): Promise<void>
  /** Sends a message or, to a statechart, an event such as `{ type: 'approve' }`. */
  send(message: Content | { readonly type: string; readonly [field: string]: unknown }): Promise<void>
  cancel(): Promise<void>
  /** Waits for the end, whatever it is. */
  ended(): Promise<TaskState>
  /** Waits for the end, and resolves to the text of the answer. Rejects when the task has failed. */
  result(): Promise<string>
  /** Waits for the end, and resolves to all frames of the stream by their numbers, each as JSON. */
  frames(): Promise<ReadonlyMap<number, string>>
}

/** What else a request for a task has: `env`, `session_id`, `agent_config`, and so on (docs/tasks.md). */
export type TaskRequest = {
  readonly agent_config?: object
  readonly env?: { readonly [name: string]: string }
  readonly session_id?: string
  readonly [field: string]: unknown
}

export type TestServer = {
  /** Where the server listens, without `/v1`. It stays the same after `restart`. */
  readonly url: string
  /** The token of its administrator. */
  readonly token: string
  readonly dataDir: string
  readonly clock: {
    /** Milliseconds since 1970. */
    now(): number
    /**
     * Moves the clock ahead. Each timer that is due by then runs at its own time and in order, and the server does what follows
     * from one before the next one. Between two moves the clock goes on as usual. It keeps its time when the server restarts.
     */
    advance(by: Span): Promise<void>
  }
  readonly model: {
    /** What the model was asked so far. */
    readonly requests: readonly { readonly path: string; readonly body: string }[]
    /** Replaces the script. */
    script(answers: readonly ModelAnswer[]): void
  }
  /**
   * Sends a request below `/v1`, with the token. When the server is killed meanwhile, a GET and a request with an `Idempotency-Key` are
   * sent again after its next start, and other requests reject.
   */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** Creates a task. */
  task(agent: string, message: Content, more?: TaskRequest): Promise<TestTask>
  /** Kills the server and the agents, as a power cut would: nothing more is stored, and all connections break. */
  kill(): Promise<void>
  /** Kills the server at its nth append from now on, and starts it again. `append` counts from 1. */
  killAt(append: number, point?: KillPoint): void
  /** Kills the agents and starts them again. Only for agents that run in the process of the test. */
  killAgents(): Promise<void>
  /** Kills the agents before the nth message from now on, to them or from them, arrives. */
  killAgentsAt(message: number): void
  /** The numbers of appends, of messages to and from agents, and of kills so far. */
  readonly counts: { readonly appends: number; readonly messages: number; readonly kills: number }
  /** Starts the server on the same data folder again. A server that still runs is stopped in order before. */
  restart(): Promise<void>
  /** Ends everything, and removes the data folder if the server has made it. */
  stop(): Promise<void>
}

export type StartTestServer = (options?: ServerOptions) => Promise<TestServer>

/** A test that can be told again and again. It starts its server with the function that it gets, and returns what must be equal. */
export type Story<T> = (start: StartTestServer) => Promise<T>

export type KillOptions = {
  /** Which kills: of the server at each append, and of the agents at each message. The default is both. */
  of?: readonly ('server' | 'agents')[]
  /** Takes every nth point only. The default is 1: every point. */
  every?: number
}

/** What `killEverywhere` has seen: the result of the story, and the number of kills. */
export type Survived<T> = { readonly result: T; readonly kills: number }

/**
 * Tells a story without a kill, and then again for every append of the server and every message of its agents, each time with a kill
 * there. Rejects when the story then rejects, when its result is another one, or when a frame has changed that a client had
 * read before the kill.
 */
export type KillEverywhere = <T>(story: Story<T>, options?: KillOptions) => Promise<Survived<T>>
