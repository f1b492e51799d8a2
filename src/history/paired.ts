// Puts calls and results in the order that every endpoint accepts: results come right after their calls, every call has
// a result, and every result has a call. A placeholder stands for a missing call or result.
import type { OutputItem } from '../contract/wire.ts'

const missingResult = (call_id: string): OutputItem => ({
  type: 'tool_result',
  call_id,
  status: 'incomplete',
  message_content: '[no result was recorded for this call]',
  block_list: [],
})

/** The placeholder for the missing call of a result. */
const missingCall = (call_id: string): OutputItem => ({
  type: 'tool_call',
  call_id,
  status: 'incomplete',
  name: 'unknown_tool',
  arguments: '{}',
})

const isOfAssistant = ({ type, ...item }: OutputItem): boolean =>
  type === 'reasoning' || (type === 'message' && 'role' in item && item.role === 'assistant')

/**
 * The items with each result behind its call. Consecutive calls form one group, together with the assistant's items
 * between the calls and their results. The results follow the group in the order in which they came.
 */
export const paired = (items: OutputItem[]): OutputItem[] => {
  const calls = new Set(items.flatMap(item => (item.type === 'tool_call' ? [item.call_id] : [])))
  const results = new Map(
    items.flatMap((item, at) => (item.type === 'tool_result' ? [[item.call_id, { item, at }] as const] : [])),
  )
  const ordered: OutputItem[] = []
  /** The calls of the current group. */
  let open: string[] = []
  const cameAt = (id: string) => results.get(id)?.at ?? -1
  const endGroup = () => {
    open.sort((a, b) => cameAt(a) - cameAt(b))
    for (const id of open) ordered.push(results.get(id)?.item ?? missingResult(id))
    open = []
  }
  for (const [at, item] of items.entries()) {
    if (item.type === 'tool_call') {
      ordered.push(item)
      open.push(item.call_id)
      continue
    }
    if (item.type === 'tool_result') {
      const { call_id } = item
      const isKnown = calls.has(call_id)
      if (!isKnown || open.includes(call_id)) endGroup()
      if (!isKnown) ordered.push(missingCall(call_id), item)
      continue
    }
    const goesOn = isOfAssistant(item) && open.some(id => cameAt(id) > at)
    if (!goesOn) endGroup()
    ordered.push(item)
  }
  endGroup()
  return ordered
}
