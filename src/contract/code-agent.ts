// The port of agents that are code of users. Such an agent runs in a host: a process that the server has started, or a
// worker that has connected to it. The task and the host talk in turns; docs/agent-protocol.md describes the messages. The
// actor of a task uses this port (actors/task/code), and src/agent-hosts implements it.
import type { MessageContent, OutputItem, TaskSupport, ToolDefinition } from './wire.ts'

/** What an entry of the journal asks for. */
export const entryKinds = [
  'say',
  'think',
  'tool',
  'model',
  'agent',
  'ask',
  'env',
  'sleep',
  'message',
  'run',
] as const
export type EntryKind = (typeof entryKinds)[number]

/** A message of a model's conversation, as code gives it: a role with text, or an item of an output. */
export type ModelMessage =
  | { role: 'user' | 'assistant' | 'system' | 'developer'; content: MessageContent }
  | OutputItem

/** One call of a model. `continues`: the number of the entry whose conversation comes before `messages`. */
export type ModelAsk = {
  messages: ModelMessage[]
  continues?: number
  tools?: (string | ToolDefinition)[]
  schema?: object
  model?: string
  silent?: true
}

/** What a new entry asks for. Its number is the number of entries before it plus 1. */
type NewEntry = { n: number; digest: string; timeout_ms?: number } & (
  | { do: 'say'; text: string }
  | { do: 'think'; text: string }
  | { do: 'tool'; name: string; arguments: Record<string, unknown> }
  /** A call that a model has asked for. */
  | { do: 'tool'; name: string; call_id: string }
  | ({ do: 'model' } & ModelAsk)
  | { do: 'agent'; name: string; input: MessageContent; config?: Record<string, unknown> }
  | { do: 'ask'; name: string; arguments: Record<string, unknown>; schema?: object }
  | { do: 'env'; name: 'reset' | 'observe'; arguments: Record<string, unknown> }
  /** `until`: Unix milliseconds. */
  | { do: 'sleep'; until: number }
  | { do: 'message' }
  | { do: 'run'; name: string; safe?: true }
)

/** Why an entry has no value. */
export const entryErrorKinds = [
  'tool',
  'model',
  'agent',
  'ask',
  'env',
  'run',
  'refused',
  'timeout',
  'dropped',
] as const
export type EntryError = {
  kind: (typeof entryErrorKinds)[number]
  message: string
  code?: number
  name?: string
  data?: unknown
}

/** One move of a turn: a new entry, the outcome of a run of the host, or the end of an entry that is wanted no more. */
export type Move =
  | NewEntry
  | ({ do: 'ran'; of: number } & ({ value: unknown } | { error: Omit<EntryError, 'kind'> }))
  | { do: 'drop'; of: number }

/** An entry as it is stored, by which a host recognizes it. */
export type JournalEntry = { do: EntryKind; name?: string; digest: string }

/** The result of entry `n`. `at`: Unix milliseconds. */
export type EntryResult = { n: number; at: number } & ({ value: unknown } | { error: EntryError })

/** The state of a statechart after it has moved. */
export type MachineState = { value: unknown; context: unknown; next_events: string[] }

export type Outcome =
  /** Text, or any JSON. */
  | { answer: unknown }
  | { error: { name?: string; message: string; stack?: string } }
  | {
      changed: {
        n: number
        was: JournalEntry
        /** Absent: the code does not ask for the entry any more. */
        is?: JournalEntry & { arguments?: unknown }
      }
    }

/** What the code has asked for since its last turn. `seen`: the number of results that it has seen. */
export type Turn = { seen: number; moves: Move[]; machine?: MachineState; outcome?: Outcome }

/** All that a host needs to run the code of a task from its beginning. */
export type Begin = {
  task: string
  session: string
  /** The owner of the task. */
  user: string
  agent: string
  /** The version with which the task began; a host with this version comes before others. */
  version: string
  input: { text: string; content: MessageContent; items: OutputItem[] }
  config: Record<string, unknown>
  vars: Record<string, unknown>
  seed: string
  /** When the task began, in Unix milliseconds. */
  at: number
  traceparent?: string
  entries: JournalEntry[]
  results: EntryResult[]
}

/**
 * Why a lease is over though its task has not ended. `died`: the host ended, stalled, or broke the protocol while it did
 * something for the lease, which counts as a failed attempt. `unfit`: the task is too large for any host. `unheard`: the host
 * had said nothing in the lease since its begin, so this begin may have ended the host. `together`: the same is true of other
 * leases of the host; the lease must begin next on a host without such leases, so that the guilty one shows.
 */
export type LeaseEnd = {
  why: 'released' | 'lost' | 'died' | 'flooded' | 'unfit'
  message: string
  unheard?: 'alone' | 'together'
}

/** What a task hears about its lease. Nothing comes after `over`, or after `stop`. */
export type LeaseListener = {
  /** Makes the message `begin` at the moment at which a host takes the lease. */
  begin(): Begin
  /** A host has taken the lease, with this version of the agent. */
  began(version: string): void
  /** Resolves when the turn is stored, or will not be stored. */
  turn(turn: Turn): void | Promise<void>
  over(end: LeaseEnd): void
  /** The items of the conversation before this task. */
  history(): Promise<OutputItem[]>
}

/** The right to run the code of one task, or the wait for it. */
export type Lease = {
  /** Gives results to the code, in the order in which they are stored. */
  results(results: EntryResult[]): void
  /** Tells the host to run its entry `n`, whose intent is stored. */
  run(n: number): void
  /** Whether the task only waits. Its lease then ends when another task needs the slot. */
  rests(isResting: boolean): void
  /** Ends the lease, or the wait. `reason` is for the host. */
  stop(reason: 'ended' | 'rest' | 'canceled' | 'paused'): void
}

/** An agent that is code of a user. */
export type CodeAgent = {
  name: string
  kind: 'function' | 'machine'
  description?: string
  /** A JSON Schema of what the agent reads from `agent_config`. */
  parameters?: object
  /** Whether calls by MCP are tasks. */
  task_support?: TaskSupport
  /** The version on which new tasks begin. */
  version: string
  /** The file, or `worker`. */
  source: string
  /** It runs in workers of the user alone, not in files of the server or in workers for all users. */
  isOwn?: true
  /** The statechart, as a drawing needs it. */
  chart?: unknown
}

/** What a task is told of the code on which it begins, and what its leases ask for. */
export type CodeVersion = { version: string; isOwn: boolean }

/** The agents that are code of users, as a task sees them. `user`: the owner of the task. */
export type CodeAgents = {
  find(name: string, user: string): CodeAgent | undefined
  /** The names of all of them. */
  names(user: string): string[]
  /**
   * Asks for a lease. It begins when a host has a free slot, at once if one has. `isOwn`: the task began in a worker of its
   * user; a task that did not never gets such a worker, which must not see what was meant for another agent. `isSuspect`: the
   * last lease of the task may have ended its host. So no other lease begins on the new host until the code is heard.
   */
  lease(
    asked: CodeVersion & { agent: string; user: string; task: string; isSuspect?: boolean },
    listener: LeaseListener,
  ): Lease
  /** Whether some host that can run the agent is there, or can be started. `isOwn`: for a task that has begun; see `lease`. */
  isServed(name: string, user: string, isOwn?: boolean): boolean
  /** Calls back when a host has come or gone, so that `isServed` may say something else. */
  onChanged(callback: () => void): void
}
