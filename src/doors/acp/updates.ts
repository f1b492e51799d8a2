// Tells a task as updates of its session: one with its frames while it runs, one with its output when it has ended.
import type { SessionUpdate, ToolKind } from '@agentclientprotocol/sdk'
import type { Task, TaskFrame } from '../../../library/client/index.ts'
import { withTask } from '../ids.ts'
import { blocksOf, shownIn } from './content.ts'

type Item = Task['output'][number]
type Items<T extends Item['type']> = Extract<Item, { type: T }>
export type Call = Pick<Items<'tool_call'>, 'call_id' | 'name' | 'arguments'>

const kinds: readonly [RegExp, ToolKind][] = [
  [/read|^list_/, 'read'],
  [/write|edit|patch/, 'edit'],
  [/search|grep|find/, 'search'],
  [/run|exec|shell|calculator/, 'execute'],
  [/fetch|http|browse/, 'fetch'],
]
const kindOf = (name: string): ToolKind => kinds.find(([names]) => names.test(name))?.[1] ?? 'other'

/** The arguments, read from their JSON; the text itself if it is none. */
export const argumentsOf = (call: Pick<Call, 'arguments'>): unknown => {
  try {
    return JSON.parse(call.arguments)
  } catch {
    return call.arguments
  }
}

const titleLength = 80
const titleOf = ({ name, arguments: args }: Call): string => {
  const whole = `${name} ${args}`
  return whole.length > titleLength ? `${whole.slice(0, titleLength - 1)}…` : whole
}

/** What an editor is told of a call, whatever becomes of it. Ids of calls are ids in their task. */
export const callShown = (call: Call, taskId: string) => ({
  toolCallId: withTask(call.call_id, taskId),
  title: titleOf(call),
  name: call.name,
  kind: kindOf(call.name),
  rawInput: argumentsOf(call),
})

const callBegun = (call: Call, taskId: string): SessionUpdate => ({
  sessionUpdate: 'tool_call',
  ...callShown(call, taskId),
  status: 'in_progress',
})

const callEnded = (result: Items<'tool_result'>, taskId: string): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: withTask(result.call_id, taskId),
  status: result.status === 'incomplete' ? 'failed' : 'completed',
  content: shownIn(result.message_content),
})

type Chunk = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk'
const chunk = (sessionUpdate: Chunk, said: string, messageId: string): SessionUpdate => ({
  sessionUpdate,
  content: { type: 'text', text: said },
  messageId,
})

/** What the user has said to a task. */
export const promptTold = (content: Parameters<typeof blocksOf>[0], taskId: string): SessionUpdate[] =>
  blocksOf(content).map(block => ({
    sessionUpdate: 'user_message_chunk',
    content: block,
    messageId: withTask('prompt', taskId),
  }))

const messageTold = ({ id, role, message_content }: Items<'message'>, taskId: string): SessionUpdate[] =>
  blocksOf(message_content).map(content => ({
    sessionUpdate: role === 'user' ? 'user_message_chunk' : 'agent_message_chunk',
    content,
    messageId: withTask(id ?? '', taskId),
  }))

/** The output of a task that has ended. What a step said before it broke off is left out. */
export const outputTold = ({ output, id: taskId }: Task): SessionUpdate[] =>
  output.flatMap((item): SessionUpdate[] => {
    if (item.type === 'tool_result') return [callEnded(item, taskId)]
    if (item.status === 'incomplete') return []
    if (item.type === 'tool_call') return [callBegun(item, taskId)]
    if (item.type === 'message') return messageTold(item, taskId)
    const thoughts = [...item.summary, ...(item.content ?? [])]
    return thoughts.map(({ text }) => chunk('agent_thought_chunk', text, withTask(item.id, taskId)))
  })

/** Why a task has ended without an answer. */
export const failureOf = ({ status, error }: Task): string | undefined => {
  if (status === 'expired') return 'the task has expired'
  return status === 'failed' ? (error?.message ?? 'the task has failed') : undefined
}

/** The same, for an editor that no longer waits for the answer. */
export const failureTold = (task: Task): SessionUpdate[] => {
  const failure = failureOf(task)
  return failure === undefined ? [] : [chunk('agent_message_chunk', failure, withTask('failure', task.id))]
}

/** The parts of a whole message that have not come as text before. */
const restTold = (item: Items<'message'>, taskId: string): SessionUpdate[] => {
  if (item.role === 'user') return messageTold(item, taskId)
  return messageTold(item, taskId).filter(update => 'content' in update && !isText(update.content))
}
const isText = (content: unknown): boolean => (content as { type?: string } | null)?.type === 'text'

const itemTold = (item: Item, taskId: string): SessionUpdate[] => {
  if (item.type === 'tool_result') return [callEnded(item, taskId)]
  if (item.status === 'incomplete') {
    // An editor cannot take back what it shows.
    const isShown = item.type === 'message' && item.message_content.length > 0
    return isShown ? [chunk('agent_message_chunk', ' (cut off)\n\n', withTask(item.id ?? '', taskId))] : []
  }
  if (item.type === 'tool_call') return [callBegun(item, taskId)]
  return item.type === 'message' ? restTold(item, taskId) : []
}

/** What a frame of a task that runs tells. */
export const frameTold = (frame: TaskFrame): SessionUpdate[] => {
  switch (frame.type) {
    case 'task.text.delta':
      return [chunk('agent_message_chunk', frame.delta, withTask(frame.item_id, frame.task_id))]
    case 'task.reasoning_text.delta':
    case 'task.reasoning_summary_text.delta':
      return [chunk('agent_thought_chunk', frame.delta, withTask(frame.item_id, frame.task_id))]
    case 'task.output_item.done':
      return itemTold(frame.item, frame.task_id)
    default:
      return []
  }
}
