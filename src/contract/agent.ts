// The agent port. An agent goes step by step: one step is one thought, from what it sees to an answer, a wait
// or the wish to go on. It keeps nothing between steps and starts nothing outside that the runtime does not know.
import type {
  Compressed,
  Form,
  ModelRequest,
  ModelResponse,
  TextItemKind,
  TextPartKind,
} from './task-events.ts'
import type {
  CreateTaskBody,
  ErrorObject,
  Logprob,
  MessageContent,
  OutputItem,
  ToolDefinition,
  Usage,
} from './wire.ts'

/**
 * What a step says while it runs: more text of the item at hand (another kind opens a new one), a whole item, or
 * a call of a tool, its arguments as JSON text, whole or bit by bit (`call` is the agent's own name for it in this
 * step). Calls run when the step has ended, all at once.
 */
export type StepPart =
  | { say: 'delta'; item: TextItemKind; part: TextPartKind; text: string; logprobs?: Logprob[] }
  | { say: 'item'; item: TextItemKind; part: TextPartKind; texts: string[] }
  | { say: 'call'; name: string; arguments: string }
  | { say: 'call-delta'; call: string; name: string; text: string }
  /** The model reached the limit of its length: the text at hand, and each call whose arguments are not whole, end here. */
  | { say: 'cut-off' }
  /** What a model is offered in this step. */
  | { say: 'tools'; tools: ToolDefinition[] }
  /** A summary is asked for, in place of what is too long. */
  | { say: 'compressing' }

/** A call of a model: what was asked, what its endpoint said of the answer. */
export type ModelCall = {
  request: ModelRequest
  response: Omit<ModelResponse, 'prompt_token_ids'> & { prompt_token_ids?: number[] }
}
/** What a step leaves behind besides what it said. */
type Account = { usage?: Usage; call?: ModelCall }

/** How a step ends, when its calls have their results. `continue`: another step follows; `answer`: the task is done. */
export type StepEnd =
  | ({ end: 'continue'; compressed?: Pick<Compressed, 'summary' | 'items'> } & Account)
  | ({ end: 'answer' } & Account)
  /** The answer will not do: the agent is told why and answers again. */
  | ({ end: 'correct'; message: string } & Account)
  | ({ end: 'pause'; reason: string } & Account)
  | { end: 'fail'; error: ErrorObject }
  /** What it said was cut off: the step is abandoned and begins anew. */
  | { end: 'again' }

export type StepInput = {
  /** From 1. */
  agentStep: number
  /** How often this step was begun before and broke off. */
  attempt: number
  request: CreateTaskBody
  /** How the task's requests to a model are put together. */
  form: Form
  /** The newest that the user said. */
  asked: MessageContent
  /** The service has told the agent once already what was wrong with an answer. */
  corrected: boolean
  /** What came before in the session, then this task's own inputs and completed items. */
  history(): Promise<OutputItem[]>
  /** What the task has used so far, its subagents included. `context`: tokens of the newest call of its model. */
  used: { tokens: number; context: number; startedAt: number }
  /** The values of the request's `env`. */
  env: Record<string, unknown>
  /** What may be called. */
  tools(): Promise<ToolDefinition[]>
  workdir: string
  signal: AbortSignal
}

export type Agent = {
  name: string
  /** One sentence for those who choose among agents. */
  description?: string
  /** It can do better when it is told what is wrong with its answer. */
  corrects?: true
  step(input: StepInput): AsyncGenerator<StepPart, StepEnd, undefined>
}
