// Puts calls and results in the order that every endpoint accepts: results come right after their calls, and each has its
// counterpart. A missing one is filled in with a text that says so.
import type { OutputItem } from '../contract/wire.ts'

export const missingResult = (call_id: string): OutputItem => ({
  type: 'tool_result',
  call_id,
  status: 'incomplete',
  message_content: '[no result was recorded for this call]',
  block_list: [],
})

/** A call for a result that has none. */
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
 * The items with each result behind its call. Consecutive calls are one turn, together with the assistant's items between
 * them and their results. The results follow the turn in the order in which they came.
 */
export const paired = (items: OutputItem[]): OutputItem[] => {
  const calls = new Set(items.flatMap(item => (item.type === 'tool_call' ? [item.call_id] : [])))
  const results = new Map(
    items.flatMap((item, at) => (item.type === 'tool_result' ? [[item.call_id, { item, at }] as const] : [])),
  )
  const ordered: OutputItem[] = []
  /** The calls of the current turn. */
  let open: string[] = []
  const cameAt = (id: string) => results.get(id)?.at ?? -1
  const endTurn = () => {
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
      if (!isKnown || open.includes(call_id)) endTurn()
      if (!isKnown) ordered.push(missingCall(call_id), item)
      continue
    }
    const goesOn = isOfAssistant(item) && open.some(id => cameAt(id) > at)
    if (!goesOn) endTurn()
    ordered.push(item)
  }
  endTurn()
  return ordered
}
