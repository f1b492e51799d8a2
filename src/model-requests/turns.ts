// Turns output items into the turns of a conversation: an assistant's thoughts, text and calls are one turn, and the
// results of its calls are the next.
import type { GivenTurn } from '../contract/agent.ts'
import type { ContentPart, MessageContent, OutputItem, ToolResultItem } from '../contract/wire.ts'
import type { CallPart, SaidPart, Turn } from './prompt.ts'
import { shortId } from './short-ids.ts'

type Said = Extract<Turn, { by: 'assistant' }>

const partsOf = (content: MessageContent): ContentPart[] =>
  typeof content === 'string' ? [content] : content

/** The text of a thought. */
export const thoughtIn = (item: OutputItem): string =>
  item.type === 'reasoning'
    ? [...item.summary, ...(item.content ?? [])].map(({ text }) => text).join('\n')
    : ''

/** Whether a thought came with a request: then it has no status in a context. */
export const isBrought = ({ type, status }: OutputItem): boolean =>
  type === 'reasoning' && status === undefined

/** The id that an endpoint gave to a call; undefined if it gave none, or the same one to another call of the turn. */
const theirId = ({ callIds = [] }: GivenTurn, nth: number): string | undefined => {
  const id = callIds[nth]
  return id && callIds.filter(other => other === id).length === 1 ? id : undefined
}

const saidIn = (item: OutputItem, turn: GivenTurn | undefined): SaidPart | undefined => {
  const at = (ids: string[] = []) => ids.indexOf(item.id ?? '')
  if (item.type === 'reasoning') {
    const text = thoughtIn(item)
    if (isBrought(item)) return text === '' ? undefined : { kind: 'thought', text }
    return turn && { kind: 'reasoning', text, nth: at(turn.thoughts) }
  }
  if (item.type === 'message') return { kind: 'text', content: partsOf(item.message_content) }
  if (item.type !== 'tool_call') return undefined
  const nth = Math.max(0, at(turn?.calls))
  const id = (turn && theirId(turn, nth)) ?? shortId(item.call_id)
  return { kind: 'call', id, name: item.name, arguments: item.arguments, nth }
}

/**
 * Whether a part joins the turn before it. Calls belong to the text before them, and text belongs to thoughts and calls
 * before it; two messages stay two. What two steps of a model said is never one turn.
 */
const joins = (
  last: Said,
  part: SaidPart,
  from: GivenTurn | undefined,
  before: GivenTurn | undefined,
): boolean => {
  if (from !== before && from !== undefined && before !== undefined) return false
  if (from !== undefined && from === before) return true
  return part.kind === 'call' || last.parts.every(({ kind }) => kind !== 'text') || hasCalls(last)
}
const hasCalls = ({ parts }: Said): boolean => parts.some(({ kind }) => kind === 'call')

const isEmptyPart = (part: ContentPart): boolean =>
  (typeof part === 'string' ? part : 'text' in part && part.text) === ''
/** Whether a turn says nothing. Some endpoints refuse empty messages. */
const isEmpty = (turn: Turn): boolean => {
  if (turn.by === 'tools') return false
  if (turn.by !== 'assistant') return turn.content.every(isEmptyPart)
  return turn.parts.every(part => part.kind === 'text' && part.content.every(isEmptyPart))
}

/**
 * The turns of a context, in which each result follows its calls. `given`: what the endpoint that is asked now gave
 * with earlier steps of the same model.
 */
export const turnsOf = (items: OutputItem[], given: GivenTurn[]): Turn[] => {
  const turnOf = new Map(given.flatMap(turn => turn.items.map(id => [id, turn] as const)))
  const turns: Turn[] = []
  /** The calls so far, by our ids. */
  const calls = new Map<string, CallPart>()
  /** The step of a model that said the newest turn, if it is known. */
  let before: GivenTurn | undefined

  const hearAssistant = (item: OutputItem, part: SaidPart) => {
    const from = part.kind === 'thought' ? undefined : turnOf.get(item.id ?? '')
    let last = turns.at(-1)
    if (last?.by !== 'assistant' || !joins(last, part, from, before)) {
      last = { by: 'assistant', parts: [] }
      turns.push(last)
      before = undefined
    }
    before ??= from
    if (from?.kept !== undefined) last.extras = from.kept
    if (item.type === 'message' && item.name !== undefined) last.name ??= item.name
    last.parts.push(part)
    if (item.type === 'tool_call' && part.kind === 'call') calls.set(item.call_id, part)
  }
  const hearResult = ({ call_id, status, message_content }: ToolResultItem) => {
    const { id = call_id, name = '' } = calls.get(call_id) ?? {}
    const result = { id, name, content: partsOf(message_content), failed: status === 'incomplete' }
    const last = turns.at(-1)
    if (last?.by === 'tools') last.results.push(result)
    else turns.push({ by: 'tools', results: [result] })
  }

  for (const item of items) {
    if (item.type === 'tool_result') hearResult(item)
    else if (item.type === 'message' && item.role !== 'assistant') {
      const named = item.name === undefined ? {} : { name: item.name }
      turns.push({ by: item.role, content: partsOf(item.message_content), ...named })
    } else {
      const part = saidIn(item, turnOf.get(item.id ?? ''))
      if (part !== undefined) hearAssistant(item, part)
    }
  }
  const said = turns.filter(turn => !isEmpty(turn))
  return said.length > 0 ? said : turns
}
