// What an agent sees: the inputs and items of a task, chosen by reference, put together without doubles.
import type { TaskEventData } from '../contract/task-events.ts'
import type { OutputItem } from '../contract/wire.ts'
import type { TaskView } from './task-view.ts'

export type ContextReference = TaskEventData<'TaskStarted'>['context'][number]

/** A task's own inputs in the order in which they are seen, each with the id it was given when accepted. */
export const inputsOf = (created: TaskEventData<'TaskCreated'>): OutputItem[] => {
  const { request, input_ids } = created
  const user: OutputItem = { type: 'message', role: 'user', message_content: request.user_message_content }
  const inputs = [...(request.history_messages ?? []), ...(request.thought_messages ?? []), user]
  return inputs.map((item, index) => ({ ...item, id: input_ids[index] ?? '' }))
}

/** The items of a task that a later one in its session may see. */
export const contributed = (view: TaskView): string[] => [
  ...(view.created?.input_ids ?? []),
  ...view.output.flatMap(item => (item.status === 'completed' && item.id !== undefined ? [item.id] : [])),
]

/** The referenced inputs and items of one task, in the order of the reference. */
export const itemsAt = (view: TaskView, { items }: ContextReference): OutputItem[] => {
  const known = new Map<string, OutputItem>()
  const inputs = view.created === undefined ? [] : inputsOf(view.created)
  for (const item of [...inputs, ...view.output]) {
    if (item.id !== undefined && !known.has(item.id)) known.set(item.id, item) // of two, the first counts
  }
  return items.flatMap(id => known.get(id) ?? [])
}

/** One list without doubles (by id, or by call_id of the same kind); a call without a result gets a marked one. */
export const assemble = (items: OutputItem[]): OutputItem[] => {
  const seen = new Set<string>()
  const unique = items.filter(item => {
    if (item.status === 'incomplete') return false
    const keys = [item.id === undefined ? [] : [`id ${item.id}`]].flat()
    if (item.type === 'tool_call' || item.type === 'tool_result') keys.push(`${item.type} ${item.call_id}`)
    if (keys.some(key => seen.has(key))) return false
    for (const key of keys) seen.add(key)
    return true
  })
  return unique.flatMap((item): OutputItem[] => {
    if (item.type !== 'tool_call' || seen.has(`tool_result ${item.call_id}`)) return [item]
    return [item, missingResult(item.call_id)]
  })
}

const missingResult = (call_id: string): OutputItem => ({
  type: 'tool_result',
  call_id,
  status: 'incomplete',
  message_content: '[no result was recorded for this call]',
  block_list: [],
})
