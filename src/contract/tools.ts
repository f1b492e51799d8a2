// The tool port: the types of the tools that an agent may call, and of the sources from which tools come.
import type { ToolOrigin } from './approvals.ts'
import type {
  Block,
  CreateTaskBody,
  MessageContent,
  OddTool,
  PendingMetadata,
  ToolDefinition,
} from './wire.ts'

/** The share of the disk that the user of a task has, for tools that write files. */
export type DiskShare = {
  /** Counts `bytes` from now on and stops counting `replaced` bytes. Throws when the user's quota would be exceeded. */
  take(bytes: number, replaced?: number): Promise<void>
  /** Undoes `take` when the file was not written. */
  giveBack(bytes: number, replaced?: number): void
}

/** A question of a tool to the client of its task, and the answer. `incomplete`: the client does not answer. */
export type ToolQuestion = {
  name: string
  arguments: Record<string, unknown>
  metadata: PendingMetadata
}
export type ToolAnswer = { status: 'completed' | 'incomplete'; content: MessageContent }

/** What a call has asked in an earlier process. `answers`: absent while one of them is missing. */
export type Asked = {
  state: string
  questions: Pick<ToolQuestion, 'metadata'>[]
  answers: ToolAnswer[] | undefined
}

export type ToolInput = {
  /** The id of the call's effect. All runs of one call have one effect id. */
  effectId: string
  /** The arguments, which fit the tool's schema. */
  arguments: Record<string, unknown>
  /** The absolute path of the only folder that file tools touch. It may not exist yet. */
  workdir: string
  /** The values of the task's `env`. */
  env: Record<string, unknown>
  /** The owner of the task. Calls of different users take turns when they wait. */
  user: string
  /** The folder of the task's user. If `workdir` leads outside of this folder, file tools touch nothing. */
  userFolder: string
  disk: DiskShare
  /**
   * The time of the call's intent, in milliseconds since the epoch. A tool whose result must be the same in a second
   * run uses no other clock.
   */
  at: number
  /** Streams text while the call runs. The result begins with this text. */
  emit(text: string): void
  /** After an abort the tool settles only when its work has really stopped. */
  signal: AbortSignal
  /** The name under which an earlier process has let the call go on outside. The tool takes it up there. */
  promise?: string | undefined
  /**
   * Resolves when it is stored that the call goes on outside under this name; undefined: not any more. After a restart the tool gets
   * the name again.
   */
  promised?: (name: string | undefined) => Promise<void>
  /**
   * Asks the client of the task, which waits meanwhile. Resolves to the answers, in the order of the questions. `state`: what a later
   * process gets with the answers; without it, the outcome of the call is unknown when the process ends. Questions with the state of
   * questions that wait are these. `withdrawn`: takes the questions back. Rejects when this or the signal of the call aborts.
   */
  ask?: (
    questions: ToolQuestion[],
    how: { state?: string | undefined; withdrawn?: AbortSignal | undefined },
  ) => Promise<ToolAnswer[]>
  asked?: Asked | undefined
  /** The number of this run of the call, from 1. */
  attempt?: number
}
/** How the episode of an environment session ended: by its own rules, or by a limit. */
export type EpisodeEnd = 'terminated' | 'truncated'

/**
 * `ends`: the call ended the episode of the environment session, so the agent has one more step. `step`: if the call was a step of an
 * environment session, the place of that step in the log, even if the step failed.
 */
export type ToolOutput = {
  content: MessageContent
  blocks?: Block[]
  ends?: EpisodeEnd
  failed?: true
  step?: { stream: string; revision: number }
}

export type Tool = {
  definition: ToolDefinition
  /** What its source says about all of its tools. The model reads it once, with the first of them that it is offered. */
  guide?: string
  /** What is odd about the definition. If the tool is left out, it is not offered, and its calls are refused. */
  odd?: OddTool
  /** Whether a call with these arguments may run again when the outcome of a run is unknown. */
  isSafe(args: Record<string, unknown>): boolean
  /** Where the tool comes from; absent: from the server itself. */
  origin?: ToolOrigin
  /** True: a second run with the same effect id returns the outcome of the first run, or throws `OutcomeUnknown`. */
  inSession?: true
  /** Runs the tool. If it throws, the agent sees a failed call, and the task continues. */
  run(input: ToolInput): Promise<ToolOutput>
}

/** How a call is handled: refused, run on the server, left to the client, or given to another agent as a new task. */
export type CallPlan =
  | { plan: 'refuse'; why: string }
  | { plan: 'run'; safe: boolean; inSession?: true; origin?: ToolOrigin }
  | { plan: 'client' }
  | { plan: 'delegate'; agent: string; request: CreateTaskBody }

/** What tools may know about the calling task. */
export type ToolScope = {
  request: CreateTaskBody
  taskId: string
  /** The first task of the tree of subagents, and how deep this task is below that task. */
  rootTaskId: string
  depth: number
  userId: string
  sessionId: string
  /** The secret values that the request shows as `***`, by field. */
  secrets(): Record<string, unknown>
}

/** The values of the task's `env`. */
export const envOf = ({ secrets }: ToolScope): Record<string, unknown> =>
  (secrets().env ?? {}) as Record<string, unknown>

/** A source of tools in addition to the built-in tools. */
export type ToolSource = {
  /** Whether the source may have tools for this task. If `isFor` is absent, only `list` tells. */
  isFor?(scope: ToolScope): boolean
  /** All tools of the source for this task, also those that are left out. Rejects with ToolsUnavailable. */
  list(scope: ToolScope, signal: AbortSignal): Promise<Tool[]>
  /**
   * The tool with this name. With the effect id of a call that has begun, the source may return a tool that cannot run
   * the call, but can tell how the call ended. Rejects with ToolsUnavailable.
   */
  find(scope: ToolScope, name: string, signal?: AbortSignal, effectId?: string): Promise<Tool | undefined>
}

/** All tools of a task that the lists of its request allow, from every source. */
export type Toolbox = {
  /** The tools that the agent may call, and those of them that are odd. Rejects with ToolsUnavailable. */
  offered(scope: ToolScope, signal: AbortSignal): Promise<{ tools: ToolDefinition[]; odd: OddTool[] }>
  /** How a call is handled. `arguments` is JSON text. */
  plan(scope: ToolScope, call: { name: string; arguments: string }, signal: AbortSignal): Promise<CallPlan>
  /** Runs a call whose plan is to run on the server. */
  run(
    scope: ToolScope,
    name: string,
    input: Omit<ToolInput, 'arguments' | 'user' | 'env'> & { arguments: string },
  ): Promise<ToolOutput>
}

/** A call has begun, and its outcome is unknown: the task is paused until a client says what to do. */
export class OutcomeUnknown extends Error {}

/** Why a signal aborts when the process ends: a call that goes on outside is not to be canceled there. */
export class Interrupted extends Error {}

/** Tools that the request names are not available: the step fails with the error code of a failed tool. */
export class ToolsUnavailable extends Error {}

/**
 * The points of a call at which a test can kill the server: before and after the intent is stored, while the call runs,
 * when it has run, and after its result is stored. After a crash, the server recovers differently for each of these
 * points.
 */
export const killPoints = ['before-intent', 'after-intent', 'during', 'after-effect', 'after-result'] as const
export type KillPoint = (typeof killPoints)[number]
export type Reach = (
  point: KillPoint,
  of: 'tool' | 'child' | 'answer' | 'cancel' | 'erasure',
  name?: string,
) => void
