// The tool port: what an agent may call, whatever its source.
import type { Block, MessageContent, ToolDefinition } from './wire.ts'

export type ToolInput = {
  /** Stable over every run of the same call. */
  effectId: string
  /** Checked against the tool's schema. */
  arguments: Record<string, unknown>
  /** An absolute path, perhaps not made yet: the only folder that file tools touch. */
  workdir: string
  /** When the call was intended, milliseconds: a tool that must give the same twice knows no other time. */
  at: number
  /** A tool that is told to stop settles only when what it does has really stopped. */
  signal: AbortSignal
}
export type ToolOutput = { content: MessageContent; blocks?: Block[] }

export type Tool = {
  definition: ToolDefinition
  /** Whether a call with these arguments may run again when nobody knows how it ended. */
  isSafe(args: Record<string, unknown>): boolean
  /** What it throws is told to the agent as the tool's failure, and ends no task. */
  run(input: ToolInput): Promise<ToolOutput>
}

/** Where a call leads: refused, run here, left to the client, or given to another agent as a task of its own. */
export type CallPlan =
  | { plan: 'refuse'; why: string }
  | { plan: 'run'; safe: boolean }
  | { plan: 'client' }
  | { plan: 'delegate'; agent: string; input: string }
