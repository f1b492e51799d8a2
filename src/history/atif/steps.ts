// Turns output items into steps of an ATIF trajectory.

import { readJson } from '../../contract/json/exact-json.ts'
import { isExact } from '../../contract/json/exact-number.ts'
import { deepestBody, isDeeper } from '../../contract/json/json-limits.ts'
import type {
  MessageItem,
  OutputItem,
  ReasoningItem,
  ToolCallItem,
  ToolResultItem,
} from '../../contract/wire.ts'
import { contentOf, lostFrom } from './content.ts'
import { definedOnly, extraOf, type Result, type Step, type ToolCall, type Trajectory } from './format.ts'

/** The step for a message that is not from the agent. */
export const saidTo = ({ role, message_content }: MessageItem): Step => ({
  source: role === 'user' ? 'user' : 'system',
  message: contentOf(message_content),
  ...extraOf({ message_content: lostFrom(message_content) }),
})

/** The arguments of a call; undefined when they are not a JSON object, or too deep for JSON.stringify. */
const argumentsOf = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = readJson(text === '' ? '{}' : text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value)
    return isObject && !isDeeper(value, deepestBody) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const callOf = ({ call_id, name, arguments: text }: ToolCallItem, theirId: string | undefined): ToolCall => {
  const args = argumentsOf(text)
  return {
    tool_call_id: call_id,
    function_name: name,
    arguments: args ?? {},
    ...extraOf({ arguments: args === undefined ? text : undefined, provider_call_id: theirId }),
  }
}

/** The texts of a reasoning item, or of its summary when it has no texts. */
const thoughtsIn = ({ summary, content = [] }: ReasoningItem): string[] =>
  (content.length > 0 ? content : summary).map(({ text }) => text)

const ofType = <T extends OutputItem['type']>(items: OutputItem[], type: T) =>
  items.filter((item): item is Extract<OutputItem, { type: T }> => item.type === type)

/** The items of an agent step as one step of ATIF. `callIds`: the endpoint's own ids of the calls, in order. */
export const agentStep = (items: OutputItem[], callIds: string[] = []): Step => {
  const said = ofType(items, 'message').flatMap(({ message_content }) => message_content)
  const calls = ofType(items, 'tool_call').map((call, n) => callOf(call, callIds[n]))
  const reasoning_content = ofType(items, 'reasoning').flatMap(thoughtsIn).join('\n')
  return definedOnly<Step>({
    source: 'agent',
    message: contentOf(said),
    reasoning_content: reasoning_content === '' ? undefined : reasoning_content,
    tool_calls: calls.length === 0 ? undefined : calls,
    ...extraOf({ message_content: lostFrom(said) }),
  })
}

/** Adds a result to the step of its call, or else as a new step. `subagent`: the document of the subagent's task. */
export const addResult = (
  steps: Step[],
  { call_id, message_content, block_list, status }: ToolResultItem,
  timestamp?: string,
  subagent?: Pick<Trajectory, 'trajectory_id' | 'session_id'>,
): void => {
  const caller = steps.findLast(({ tool_calls }) => tool_calls?.some(call => call.tool_call_id === call_id))
  const result = definedOnly<Result>({
    source_call_id: caller && call_id,
    content: contentOf(message_content),
    subagent_trajectory_ref: subagent && [
      { trajectory_id: subagent.trajectory_id, session_id: subagent.session_id },
    ],
    ...extraOf({
      call_id: caller === undefined ? call_id : undefined,
      status: status === 'incomplete' ? status : undefined,
      timestamp,
      block_list: block_list.length === 0 ? undefined : block_list,
      message_content: lostFrom(message_content),
    }),
  })
  if (caller === undefined) steps.push({ source: 'system', message: '', observation: { results: [result] } })
  else caller.observation = { results: [...(caller.observation?.results ?? []), result] }
}

/** The step, marked as a copy. */
export const copied = (step: Step): Step => ({ ...step, is_copied_context: true })

const order = { reasoning: 0, message: 1, tool_call: 2 }

/** Whether `b` can follow `a` in one agent step, whose order is: reasoning, then one message, then calls. */
const together = (a: OutputItem, b: OutputItem): boolean => {
  if (a.type === 'tool_result' || b.type === 'tool_result') return false
  return order[a.type] < order[b.type] || (a.type === b.type && a.type !== 'message')
}

/**
 * Earlier items as copied steps. Their original steps are not known, so items that can belong together share a step.
 */
export const copiedSteps = (items: OutputItem[]): Step[] => {
  const steps: Step[] = []
  let turn: OutputItem[] = []
  const close = () => {
    if (turn.length > 0) steps.push(agentStep(turn))
    turn = []
  }
  for (const item of items) {
    const last = turn.at(-1)
    if (item.type === 'tool_result') {
      close()
      addResult(steps, item)
    } else if (item.type === 'message' && item.role !== 'assistant') {
      close()
      steps.push(saidTo(item))
    } else {
      if (last !== undefined && !together(last, item)) close()
      turn.push(item)
    }
  }
  close()
  return steps.map(copied)
}
