// The tool port: tools that an agent may call, from any source.
import type { Block, CreateTaskBody, MessageContent, ToolDefinition } from './wire.ts'

/** The disk of a task's user, for tools that write there. */
export type DiskShare = {
  /** Counts `bytes` from now on and stops counting `replaced` bytes. Throws when the user's quota would be exceeded. */
  take(bytes: number, replaced?: number): Promise<void>
  /** Undoes `take` when the file was not written. */
  giveBack(bytes: number, replaced?: number): void
}

export type ToolInput = {
  /** The same for every run of the same call. */
  effectId: string
  /** Checked against the tool's schema. */
  arguments: Record<string, unknown>
  /** The absolute path of the only folder that file tools touch. It may not exist yet. */
  workdir: string
  /** The values of the task's `env`. */
  env: Record<string, unknown>
  /** The owner of the task. Waiting calls of different users take turns. */
  user: string
  /** The folder of the task's user. When the workdir leads outside of it, file tools touch nothing. */
  userFolder: string
  disk: DiskShare
  /** The time of the call's intent, milliseconds. A tool whose results must repeat uses no other clock. */
  at: number
  /** Streams text while the call runs. The result begins with this text. */
  emit(text: string): void
  /** After an abort the tool settles only when its work has really stopped. */
  signal: AbortSignal
  /** The number of the run of this call, from 1. */
  attempt?: number
}
/**
 * `ends`: nothing is left to do, so the task completes as after a stop tool. `step`: the place in the log of the
 * environment step that the call was, even when that step has `failed`.
 */
export type ToolOutput = {
  content: MessageContent
  blocks?: Block[]
  ends?: true
  failed?: true
  step?: { stream: string; revision: number }
}

export type Tool = {
  definition: ToolDefinition
  /** Whether a call with these arguments may run again when the outcome of a run is unknown. */
  isSafe(args: Record<string, unknown>): boolean
  /** A second run with the same effect id returns how the first run ended, or throws `OutcomeUnknown`. */
  inSession?: true
  /** The agent sees a thrown error as the tool's failure. An error does not end the task. */
  run(input: ToolInput): Promise<ToolOutput>
}

/** How a call is handled: refused, run on the server, left to the client, or given to another agent as a new task. */
export type CallPlan =
  | { plan: 'refuse'; why: string }
  | { plan: 'run'; safe: boolean; inSession?: true }
  | { plan: 'client' }
  | { plan: 'delegate'; agent: string; request: CreateTaskBody }

/** What tools may know about the calling task. */
export type ToolScope = {
  request: CreateTaskBody
  taskId: string
  /** The first task of the tree of subagents, and the depth of this task below it. */
  rootTaskId: string
  depth: number
  userId: string
  sessionId: string
  /** The secret values that the request shows as hidden, by field. */
  secrets(): Record<string, unknown>
}

/** The values of the task's `env`. */
export const envOf = ({ secrets }: ToolScope): Record<string, unknown> =>
  (secrets().env ?? {}) as Record<string, unknown>

/** A source of tools beside the built-in ones. */
export type ToolSource = {
  /** Whether the source may have tools for this task; absent: only `list` can say. */
  isFor?(scope: ToolScope): boolean
  /** All tools of the source for this task. Rejects with ToolsUnavailable. */
  list(scope: ToolScope, signal: AbortSignal): Promise<Tool[]>
  /**
   * The tool with this name. With the effect id of a call that has begun, the tool may be one that can only say how that
   * call ended. Rejects with ToolsUnavailable.
   */
  find(scope: ToolScope, name: string, signal?: AbortSignal, effectId?: string): Promise<Tool | undefined>
}

/** All tools of a task, from every source, as far as the lists of its request allow them. */
export type Toolbox = {
  /** The tools that the agent may call. Rejects with ToolsUnavailable. */
  offered(scope: ToolScope, signal: AbortSignal): Promise<ToolDefinition[]>
  /** How a call is handled. `arguments` is JSON text. */
  plan(scope: ToolScope, call: { name: string; arguments: string }, signal: AbortSignal): Promise<CallPlan>
  /** Runs a call that was planned to run here. */
  run(
    scope: ToolScope,
    name: string,
    input: Omit<ToolInput, 'arguments' | 'user' | 'env'> & { arguments: string },
  ): Promise<ToolOutput>
}

/** A call has begun, and its outcome is unknown: the task is paused until a client says what to do. */
export class OutcomeUnknown extends Error {}

/** Tools that the request names are not available: the step fails with the error code of a failed tool. */
export class ToolsUnavailable extends Error {}

/**
 * The points of a call at which a crash makes a difference, named so that tests can stop there: before and after the
 * intent is stored, while the call runs, when it has run, and after its result is stored.
 */
export const killPoints = ['before-intent', 'after-intent', 'during', 'after-effect', 'after-result'] as const
export type KillPoint = (typeof killPoints)[number]
export type Reach = (point: KillPoint, of: 'tool' | 'child' | 'answer' | 'cancel', name?: string) => void
