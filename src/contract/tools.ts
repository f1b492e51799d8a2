// The tool port: what an agent may call, whatever its source.
import type { Block, CreateTaskBody, MessageContent, ToolDefinition } from './wire.ts'

/** The disk of a task's user, for tools that write there. */
export type DiskShare = {
  /** Counts so many bytes from now on, and those that they replace no longer. Throws beyond the user's quota. */
  take(bytes: number, replaced?: number): Promise<void>
  /** It did not come to that. */
  giveBack(bytes: number, replaced?: number): void
}

export type ToolInput = {
  /** Stable over every run of the same call. */
  effectId: string
  /** Checked against the tool's schema. */
  arguments: Record<string, unknown>
  /** An absolute path, perhaps not made yet: the only folder that file tools touch. */
  workdir: string
  /** The values of the task's `env`. */
  env: Record<string, unknown>
  /** Whose task it is: where calls wait, users take turns. */
  user: string
  /** The folder of the task's user. Where the workdir leads outside of it, file tools touch nothing. */
  userFolder: string
  disk: DiskShare
  /** When the call was intended, milliseconds: a tool that must give the same twice knows no other time. */
  at: number
  /** More of what it says while it runs: the beginning of its result. */
  emit(text: string): void
  /** A tool that is told to stop settles only when what it does has really stopped. */
  signal: AbortSignal
  /** Which run of the call it is, from 1. */
  attempt?: number
}
/**
 * `ends`: there is no more to do; the task completes as after a stop tool. `step`: where the log has the step of an
 * environment that it was, also when that has `failed`.
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
  /** Whether a call with these arguments may run again when nobody knows how it ended. */
  isSafe(args: Record<string, unknown>): boolean
  /** Asked again, it says how a call ended that was begun, or throws `OutcomeUnknown`. */
  inSession?: true
  /** What it throws is told to the agent as the tool's failure, and ends no task. */
  run(input: ToolInput): Promise<ToolOutput>
}

/** Where a call leads: refused, run here, left to the client, or given to another agent as a task of its own. */
export type CallPlan =
  | { plan: 'refuse'; why: string }
  | { plan: 'run'; safe: boolean; inSession?: true }
  | { plan: 'client' }
  | { plan: 'delegate'; agent: string; request: CreateTaskBody }

/** The task that calls, as far as tools may know it. */
export type ToolScope = {
  request: CreateTaskBody
  taskId: string
  /** The task that all began with; how far down from it this one is. */
  rootTaskId: string
  depth: number
  userId: string
  sessionId: string
  /** Values that the request shows as hidden, by field. */
  secrets(): Record<string, unknown>
}

/** The values of the task's `env`. */
export const envOf = ({ secrets }: ToolScope): Record<string, unknown> =>
  (secrets().env ?? {}) as Record<string, unknown>

/** Tools that a task has beside the built-in ones. */
export type ToolSource = {
  /** Whether it may have any for this task; absent: it must be asked. */
  isFor?(scope: ToolScope): boolean
  /** All of them. Rejects with ToolsUnavailable. */
  list(scope: ToolScope, signal: AbortSignal): Promise<Tool[]>
  /**
   * The one of this name; with the effect of a call that was begun, also one that can only say how it ended. Rejects
   * with ToolsUnavailable.
   */
  find(scope: ToolScope, name: string, signal?: AbortSignal, effectId?: string): Promise<Tool | undefined>
}

/** All tools of a task, whatever their source, as its lists allow. */
export type Toolbox = {
  /** What the agent may call. Rejects with ToolsUnavailable. */
  offered(scope: ToolScope, signal: AbortSignal): Promise<ToolDefinition[]>
  /** Where a call leads; `arguments` as JSON text. */
  plan(scope: ToolScope, call: { name: string; arguments: string }, signal: AbortSignal): Promise<CallPlan>
  /** Runs a call that was planned to run here. */
  run(
    scope: ToolScope,
    name: string,
    input: Omit<ToolInput, 'arguments' | 'user' | 'env'> & { arguments: string },
  ): Promise<ToolOutput>
}

/** A call was begun, and nobody knows how it ended: the task is paused until somebody says what to do. */
export class OutcomeUnknown extends Error {}

/** Tools that the request wants cannot be had: the step fails with the code of a tool's failure. */
export class ToolsUnavailable extends Error {}

/**
 * The places where a crash can fall between a wish and what the log says of it. Named so that tests can stop there:
 * before and after the intent is stored, while it runs, when it has run, and after its result is stored.
 */
export const killPoints = ['before-intent', 'after-intent', 'during', 'after-effect', 'after-result'] as const
export type KillPoint = (typeof killPoints)[number]
export type Reach = (point: KillPoint, of: 'tool' | 'child' | 'answer' | 'cancel', name?: string) => void
