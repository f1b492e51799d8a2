// The conversation of a task, in order: the question of the user, the items of the output, and between these items the
// messages to the agent. The result of a call is in the entry of the call, so it has no entry of its own.
import type { MessageContent, OutputItem, ToolResultItem } from '../../src/contract/wire.ts'
import type { Message } from '../../src/history/task/messages.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { callStateOf } from './call-state.ts'
import { type Spans, spanAt } from './spans.ts'

export type SaidEntry = { key: string; said: MessageContent; note?: string }
export type ItemEntry = {
  key: string
  item: Exclude<OutputItem, ToolResultItem>
  agent: string
  /** For a call: its result, its state in words, whether it waits for a person, and the task of its subagent. */
  result: ToolResultItem | undefined
  state: string
  isWaiting: boolean
  child: string | undefined
}
export type Entry = SaidEntry | ItemEntry

/** The values of these fields for an item that is no call. */
export const noCall = { result: undefined, state: '', isWaiting: false, child: undefined }

/** The results among items, by the ids of their calls. */
export const resultsIn = (items: readonly OutputItem[]): Map<string, ToolResultItem> =>
  new Map(items.flatMap(item => (item.type === 'tool_result' ? [[item.call_id, item] as const] : [])))

/** An event for a statechart is shown by its name, and with what else it has. */
const eventText = ({ type, ...more }: { type: string }): string =>
  Object.keys(more).length === 0 ? type : `${type} ${JSON.stringify(more)}`

const saidBy = ({ id, content, at, event }: Message): SaidEntry => {
  const notes = [event && 'event', at === undefined && 'not seen by the agent yet'].filter(Boolean)
  return {
    key: id,
    said: event === undefined ? content : eventText(event),
    ...(notes.length > 0 && { note: notes.join(', ') }),
  }
}

/** Messages to the agent, by the number of items that came before them. */
const messagesOf = ({ messages, output }: ShownTask): Map<number, Entry[]> => {
  const found = new Map<number, Entry[]>()
  for (const message of messages) {
    const at = Math.min(message.at ?? output.length, output.length)
    found.set(at, [...(found.get(at) ?? []), saidBy(message)])
  }
  return found
}

const questionOf = ({ created }: ShownTask): Entry[] => {
  if (created === undefined) return []
  const before = created.request.history_messages?.length ?? 0
  const note = before > 0 ? { note: `after ${before} earlier messages` } : {}
  return [{ key: 'question', said: created.request.user_message_content, ...note }]
}

/** The entries after `count` events, from the item with the index `first` on; with 0, the question comes first. */
export const entriesOf = (task: ShownTask, spans: Spans, count: number, first = 0): Entry[] => {
  const shown = task.output.slice(first)
  const results = resultsIn(shown)
  const waiting = new Map(task.pendingCalls.map(call => [call.call_id, call]))
  const messages = messagesOf(task)
  const agent = task.created?.agent ?? 'agent'
  const entryOf = (item: OutputItem, n: number): Entry[] => {
    if (item.type === 'tool_result') return []
    const common = { key: item.id ?? `${first + n}`, item, agent }
    if (item.type !== 'tool_call') return [{ ...common, ...noCall }]
    const { call_id } = item
    const begun = spans.ofCall(call_id)
    const span = begun === undefined || begun.from >= count ? undefined : spanAt(begun, count)
    const [result, isWaiting] = [results.get(call_id), waiting.has(call_id)]
    const needsApproval = waiting.get(call_id)?.metadata?.approval === true
    const state = callStateOf({ result, span, isWaiting, needsApproval })
    return [{ ...common, result, state, isWaiting, child: span?.child }]
  }
  return [
    ...(first === 0 ? questionOf(task) : []),
    ...shown.flatMap((item, n) => [...(messages.get(first + n) ?? []), ...entryOf(item, n)]),
    ...(messages.get(task.output.length) ?? []),
  ]
}
