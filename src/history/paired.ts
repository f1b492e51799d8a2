// Calls and results as every endpoint takes them: the results right after their calls, none without its call, no call
// without a result. What is missing is made up, and says so.
import type { OutputItem } from '../contract/wire.ts'

export const missingResult = (call_id: string): OutputItem => ({
  type: 'tool_result',
  call_id,
  status: 'incomplete',
  message_content: '[no result was recorded for this call]',
  block_list: [],
})

/** The call of a result that came without one. */
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
 * The items with each result behind its call. Calls that follow one another are one turn, with what the assistant says
 * between them and their results: the results come after all of it, in the order in which they came.
 */
export const paired = (items: OutputItem[]): OutputItem[] => {
  const calls = new Set(items.flatMap(item => (item.type === 'tool_call' ? [item.call_id] : [])))
  const results = new Map(
    items.flatMap((item, at) => (item.type === 'tool_result' ? [[item.call_id, { item, at }] as const] : [])),
  )
  const told: OutputItem[] = []
  /** The calls of the turn at hand. */
  let open: string[] = []
  const cameAt = (id: string) => results.get(id)?.at ?? -1
  const endTurn = () => {
    open.sort((a, b) => cameAt(a) - cameAt(b))
    for (const id of open) told.push(results.get(id)?.item ?? missingResult(id))
    open = []
  }
  for (const [at, item] of items.entries()) {
    if (item.type === 'tool_call') {
      told.push(item)
      open.push(item.call_id)
      continue
    }
    if (item.type === 'tool_result') {
      const { call_id } = item
      const isKnown = calls.has(call_id)
      if (!isKnown || open.includes(call_id)) endTurn()
      if (!isKnown) told.push(missingCall(call_id), item)
      continue
    }
    const goesOn = isOfAssistant(item) && open.some(id => cameAt(id) > at)
    if (!goesOn) endTurn()
    told.push(item)
  }
  endTurn()
  return told
}
