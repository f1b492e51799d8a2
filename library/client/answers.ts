// Answers what a task waits for: calls of tools that the client runs, and approvals.
import type { RepriseError } from './errors.ts'
import type { Link } from './link.ts'
import { pathOf } from './link.ts'
import { AlreadyAnswered, WrongState } from './refusals.ts'
import { send } from './send.ts'
import type { AnswerCallsBody, DecideApprovalBody, PendingCallItem, Task, ToolDefinition } from './types.ts'

/** A call that waits. */
export type Call = {
  readonly task_id: string
  readonly call_id: string
  readonly name: string
  /** The arguments, read from their JSON. */
  readonly arguments: Record<string, unknown>
  /** Aborts when the run is aborted, or fails. */
  readonly signal: AbortSignal
}

/**
 * Runs a tool of the client. What it returns is the result: text, another value as its JSON, or `{ message_content, … }` as the
 * interface has it. When it throws, the agent gets the message of the error, and the call counts as failed.
 */
// biome-ignore lint/suspicious/noExplicitAny: each tool has arguments of its own
export type RunTool = (args: any, call: Call) => unknown

/** A tool with its definition for the model, which is added to `client_tools`. */
export type Tool = { description?: string; parameters?: Record<string, unknown>; run: RunTool }
export type Tools = { readonly [name: string]: RunTool | Tool }

/** Decides about a call. `true` approves it, and `false` refuses it. */
export type Approve = (call: Call) => Decision | Promise<Decision>
export type Decision = boolean | Omit<DecideApprovalBody, 'call_id'>

type Result = Omit<AnswerCallsBody['tool_results'][number], 'call_id'>

/** The definitions of tools that the body does not define itself. */
export const definitionsOf = (tools: Tools, defined: readonly ToolDefinition[]): ToolDefinition[] =>
  Object.entries(tools).flatMap(([name, tool]): ToolDefinition[] => {
    if (defined.some(({ function: { name: known } }) => known === name)) return []
    const { description, parameters } = typeof tool === 'function' ? {} : (tool as Tool)
    return [
      {
        type: 'function',
        function: {
          name,
          parameters: parameters ?? { type: 'object' },
          ...(description === undefined ? {} : { description }),
        },
      },
    ]
  })

const resultOf = (value: unknown): Result => {
  if (typeof value === 'string') return { message_content: value }
  if (typeof value === 'object' && value !== null && 'message_content' in value) return value as Result
  return { message_content: JSON.stringify(value ?? null) }
}

export type Answering = { tools?: Tools | undefined; approve?: Approve | undefined }

/**
 * Answers calls, each once. `onFailure` gets an error after which the run cannot go on: an answer that the server refuses, or an
 * error of `approve`.
 */
export const answererOf = (
  link: Link,
  { tools = {}, approve }: Answering,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
) => {
  const begun = new Map<string, Promise<Task | undefined>>()

  const isOurs = ({ name, metadata }: PendingCallItem): boolean =>
    metadata?.approval ? approve !== undefined : Object.hasOwn(tools, name)

  const runs = async (call: Call): Promise<Result> => {
    const tool = tools[call.name]
    const run = typeof tool === 'function' ? tool : tool?.run
    try {
      return resultOf(await run?.(call.arguments, call))
    } catch (error) {
      if (signal.aborted) throw error
      return { message_content: String((error as Error | undefined)?.message ?? error), status: 'incomplete' }
    }
  }

  /** The task after the answer; undefined: somebody else was faster, or the task has ended meanwhile. */
  const answer = async (taskId: string, item: PendingCallItem): Promise<Task | undefined> => {
    const { call_id, name } = item
    const call = { task_id: taskId, call_id, name, arguments: argumentsOf(item.arguments), signal }
    const post = (path: string, body: AnswerCallsBody | DecideApprovalBody) =>
      send<Task>(link, { method: 'POST', path, body, signal })
    try {
      if (item.metadata?.approval) {
        const decided = (await approve?.(call)) ?? false
        const decision: Omit<DecideApprovalBody, 'call_id'> =
          typeof decided === 'object' ? decided : { decision: decided ? 'approve' : 'refuse' }
        return await post(pathOf`/v1/tasks/${taskId}/approvals`, { call_id, ...decision })
      }
      const result = await runs(call)
      return await post(pathOf`/v1/tasks/${taskId}/input`, { tool_results: [{ call_id, ...result }] })
    } catch (error) {
      if (!isLate(error)) onFailure(error)
      return undefined
    }
  }

  return {
    /** Whether the client answers all of these calls. */
    answersAll: (items: readonly PendingCallItem[]): boolean => items.every(isOurs),
    /** Begins to answer the calls that are the client's. Resolves to the task after the last answer. */
    async begin(taskId: string, items: readonly PendingCallItem[]): Promise<Task | undefined> {
      for (const item of items.filter(isOurs))
        if (!begun.has(item.call_id)) begun.set(item.call_id, answer(taskId, item))
      const open = items.flatMap(({ call_id }) => begun.get(call_id) ?? [])
      return (await Promise.all(open)).at(-1)
    },
  }
}

const argumentsOf = (text: string): Record<string, unknown> => {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return { text }
  }
}

const isLate = (error: unknown): error is RepriseError =>
  error instanceof AlreadyAnswered || error instanceof WrongState
