// The agent port. An agent works in steps. At the beginning of a step the agent reads the history of its task; at the
// end it gives an answer, waits, or asks for another step. An agent keeps no state between steps, and starts work
// outside of itself only through the runtime.
import type {
  Compressed,
  CutEnd,
  ModelRequest,
  ModelResponse,
  TextItemKind,
  TextPartKind,
} from './events/task-events.ts'
import type {
  Annotation,
  CreateTaskBody,
  ErrorObject,
  Logprob,
  MessageContent,
  OutputItem,
  ToolDefinition,
  ToolResultItem,
  Usage,
} from './wire.ts'

/**
 * What a step says while it runs: more text of the current item (another kind opens a new item), a whole item, or a
 * tool call. The arguments of a call are JSON text, whole or in pieces; `call` is the agent's own name for the call in
 * this step. Calls run when the step has ended, all at once.
 */
export type StepPart =
  | {
      say: 'delta'
      item: TextItemKind
      part: TextPartKind
      text: string
      logprobs?: Logprob[]
      /** Sources of the text so far. The text may then be empty. */
      annotations?: Annotation[]
      /** The text begins another item, though the item before is of the same kind. */
      opens?: true
    }
  | { say: 'item'; item: TextItemKind; part: TextPartKind; texts: string[] }
  | { say: 'call'; name: string; arguments: string }
  | { say: 'call-delta'; call: string; name: string; text: string }
  /**
   * The answer is not whole: the current text and the calls end here. Only beside a call that was cut for its length,
   * calls with whole arguments are still made.
   */
  | { say: 'cut-off'; reason: CutEnd }
  /** A turn of a group chat: a speaker's task begins when the step has ended. */
  | { say: 'turn'; turn: AskedTurn }
  /** The tools that the model is offered in this step. */
  | { say: 'tools'; tools: ToolDefinition[] }
  /** The step asks for a summary, which replaces items that are too long for the model. */
  | { say: 'compressing' }

/** A call of a model: the request, and what the endpoint said about its answer. */
export type ModelCall = {
  request: ModelRequest
  response: Omit<ModelResponse, 'prompt_token_ids'> & { prompt_token_ids?: number[] }
}
/** What a step reports at its end in addition to its items. */
type Account = { usage?: Usage; call?: ModelCall }

/**
 * How a step ends. `continue`: another step follows when the calls of the step have results. `answer`: the task is
 * completed when the calls have results.
 */
export type StepEnd =
  | ({ end: 'continue'; compressed?: Pick<Compressed, 'summary' | 'items'> } & Account)
  | ({ end: 'answer' } & Account)
  /** The answer is not acceptable: the agent gets the message and answers again. */
  | ({ end: 'correct'; message: string } & Account)
  | ({ end: 'pause'; reason: string } & Account)
  | { end: 'fail'; error: ErrorObject }
  /** The answer broke off: the step is abandoned and runs again. */
  | { end: 'again' }

/**
 * What an endpoint gave with an earlier step of a model, besides the items of the step. `items`: the ids of all these
 * items; `thoughts` and `calls`: of the reasoning and the calls among them, in their order. `callIds`: the endpoint's
 * own ids of the calls. `kept`: what it wants back, in a form that only its protocol knows.
 */
export type GivenTurn = {
  endpoint: string
  model: string
  protocol: string | undefined
  items: string[]
  thoughts: string[]
  calls: string[]
  callIds: string[] | undefined
  kept: Record<string, unknown> | undefined
}

/** A turn of a group chat that a step asks for. */
export type AskedTurn = {
  name: string
  round: number
  /** The turn chooses the next speaker. */
  moderator?: true
  /** The speaker may pass. */
  mayPass?: true
  /** The id of the message that the request repeats; absent: the message of the request is new. */
  messageId?: string
  request: CreateTaskBody
}

/** A turn of a group chat that has ended. */
export type TakenTurn = {
  name: string
  round: number
  isModerator: boolean
  /** What the task of the turn answered. */
  text: string
  /** Whether the text was said in the chat. */
  said: boolean
  /** Why the task of the turn did not complete; undefined: it completed. */
  failed: string | undefined
}

export type StepInput = {
  /** The number of the step in its task, from 1. */
  agentStep: number
  /** How often this step has already begun and broken off. */
  attempt: number
  request: CreateTaskBody
  /** The newest message of the user. */
  asked: MessageContent
  /** True: the service has corrected the agent's answer once already, and corrects it only once. */
  corrected: boolean
  /** True: the step before summed up the context. */
  summed: boolean
  /** The result that came last in this task. In the history, results stand in the order of their calls. */
  newestResult?: ToolResultItem | undefined
  /** The earlier items of the chat session, then this task's own inputs and completed items. */
  history(): Promise<OutputItem[]>
  /** What endpoints gave with the earlier steps of this history. */
  given(): Promise<GivenTurn[]>
  /**
   * What the task and its subagents have used so far. `tokens` is the number of all their tokens, `context` the number
   * of the tokens of the newest model call alone.
   */
  used: { tokens: number; context: number; startedAt: number }
  /** The turns of this group chat so far. */
  turns?: readonly TakenTurn[]
  /** The values of the request's `env`. */
  env: Record<string, unknown>
  /** The tools that the agent may call. */
  tools(): Promise<ToolDefinition[]>
  workdir: string
  /** Aborts when the step is stopped. It is made when it is asked for the first time, as most steps need none. */
  signal(): AbortSignal
}

/** A whole step: what it says and how it ends. */
export type Reply = { said: Exclude<StepPart, { say: 'tools' }>[]; end: StepEnd }

export type Agent = {
  name: string
  /** One sentence that helps users to choose an agent. */
  description?: string
  /** The dialect in which the agent speaks to the endpoint of its model. */
  dialect?: string
  /** Present: the agent can correct its answer when a message tells the agent what is wrong with the answer. */
  corrects?: true
  step(input: StepInput): AsyncGenerator<StepPart, StepEnd, undefined>
  /**
   * Returns the whole step at once. Only an agent that needs nothing but the user's message, never waits and has no
   * effect outside has this function. The runtime calls it instead of `step` where it can, perhaps before the task is
   * durable.
   */
  reply?(input: Pick<StepInput, 'asked'>): Reply
}
