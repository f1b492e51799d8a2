// Prints the frames of a task for a person: the answer, and in dim text the calls and the reasoning that led to it.
import type { ErrorObject, Task, ToolCallItem, ToolResultItem } from '../../../library/client/index.ts'
import type { Frame } from '../../history/frames.ts'
import { type Printer, shortened } from '../terminal/printer.ts'

type Call = Pick<ToolCallItem, 'call_id' | 'name' | 'arguments'>
type Item = { type: string; status?: string }

const argumentsShown = 60
const resultShown = 100

export const contentText = (content: ToolResultItem['message_content']): string =>
  typeof content === 'string'
    ? content
    : content
        .map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : part.type))
        .join(' ')

export const callText = ({ name, arguments: args }: Call): string =>
  `${name} ${shortened(args, argumentsShown)}`

/** The message for the last frame of a task that did not complete; undefined for any other frame. */
export const failureOf = ({ type, error }: Frame): string | undefined => {
  if (type === 'task.canceled') return 'the task was canceled'
  if (type === 'task.expired') return 'the task has expired'
  if (type !== 'task.failed') return undefined
  const { code, message } = (error ?? {}) as Partial<ErrorObject>
  return `the task failed: ${message} (${code})`
}

export const createShow = (printer: Printer) => {
  const calls = new Map<string, Call>()
  let steps = 0

  const itemDone = (item: Item) => {
    if (item.type === 'message' || item.type === 'reasoning') {
      if (item.status === 'incomplete') printer.line('(cut off)')
      printer.endLines()
    }
    if (item.type === 'tool_call' && item.status !== 'incomplete') {
      const call = item as Call & Item
      calls.set(call.call_id, call)
      printer.hint(callText(call))
    }
    if (item.type === 'tool_result') {
      const { call_id, message_content, status } = item as ToolResultItem
      const call = calls.get(call_id)
      calls.delete(call_id)
      const failed = status === 'incomplete'
      const result = shortened(contentText(message_content), resultShown)
      printer.line(
        `${call === undefined ? call_id : callText(call)} -> ${failed ? 'failed: ' : ''}${result}`,
        failed ? 'red' : 'dim',
      )
      const [next] = calls.values()
      if (next !== undefined) printer.hint(callText(next))
    }
  }

  return {
    frame(frame: Frame): void {
      steps = Math.max(steps, Number(frame.agent_step ?? 0))
      if (frame.type === 'task.text.delta') printer.text(String(frame.delta))
      else if (/^task\.reasoning_(summary_)?text\.delta$/.test(frame.type)) printer.words(String(frame.delta))
      else if (/_part\.added$/.test(frame.type) && frame.content_index !== 0) printer.endLines()
      else if (frame.type === 'task.output_item.done') itemDone(frame.item as Item)
      else if (frame.type === 'task.queued') printer.line('(waiting for its turn)')
      else if (frame.type === 'task.context_compression.completed') printer.line('(context compressed)')
    },
    steps: () => steps,
  }
}

/** A call for whose result, or for whose approval, a task waits. */
export type PendingCall = Call & { isApproval: boolean }
export const pendingCalls = ({ metadata }: Task): PendingCall[] =>
  ((metadata?.pending_inputs ?? []) as (Call & { metadata?: { approval?: boolean } })[]).map(call => ({
    ...call,
    isApproval: call.metadata?.approval === true,
  }))

/** Whether a task waits for somebody. */
export const isResting = ({ status }: Task): boolean => status === 'input-required' || status === 'paused'

/** `about`: what a task waits for. `words`: a sentence before the requests that continue the task. */
type Wait = { about: string; words: string; requests: { path: string; body?: object }[] }

/** Says what a task that rests waits for. */
export const waitOf = (task: Task): Wait => {
  const path = `/v1/tasks/${encodeURIComponent(task.id)}`
  if (task.status === 'paused') {
    const { reason, effect } = (task.metadata ?? {}) as { reason?: string; effect?: { name?: string } }
    const about = [reason ?? 'by request', ...(effect?.name === undefined ? [] : [effect.name])].join(', ')
    return {
      about: `somebody who resumes it (${about})`,
      words: `the task is paused (${about}); continue it with:`,
      requests: [{ path: `${path}/resume` }],
    }
  }
  const calls = pendingCalls(task)
  const results = calls.filter(({ isApproval }) => !isApproval)
  const approvals = calls.filter(({ isApproval }) => isApproval)
  const parts = [
    ...(results.length > 0 ? [`the result of ${results.map(callText).join(' and ')}`] : []),
    ...(approvals.length > 0 ? [`the approval of ${approvals.map(callText).join(' and ')}`] : []),
  ]
  const tool_results = results.map(({ call_id }) => ({ call_id, message_content: '…' }))
  const what = parts.join(' and ')
  return {
    about: what,
    words: `the task waits for ${what}; send it with:`,
    requests: [
      ...(results.length > 0 ? [{ path: `${path}/input`, body: { tool_results } }] : []),
      ...approvals.map(({ call_id }) => ({
        path: `${path}/approvals`,
        body: { call_id, decision: 'approve' },
      })),
    ],
  }
}
