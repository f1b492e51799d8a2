// Writes turns as messages of users and assistants, which alternate.
import { argumentsObject } from '../call-arguments.ts'
import { inPlace, withoutLastThoughts } from '../in-place.ts'
import { goesOn, laterInstructions } from '../instructions.ts'
import { asTexts, taken, thoughtText } from '../parts.ts'
import type { ResultPart, SaidPart, Turn } from '../prompt.ts'
import type { Switches } from '../switches.ts'
import { type Block, blocksOf, saidBy, textBlock } from './blocks.ts'
import { type MessagesThought, messagesExtras } from './extras.ts'

export type Message = { role: 'user' | 'assistant'; content: Block[] }
type Said = Extract<Turn, { by: 'assistant' }>
type Instructing = Extract<Turn, { by: 'user' | 'system' | 'developer' }>

const thoughtBlock = (thought: MessagesThought, text: string): Block =>
  'redacted' in thought
    ? { type: 'redacted_thinking', data: thought.redacted }
    : { type: 'thinking', thinking: text, signature: thought.signature }

/** Whether a block is a thought, also one that only the endpoint can read. */
export const isThought = ({ type }: Block): boolean => type === 'thinking' || type === 'redacted_thinking'

const partBlocks = (part: Exclude<SaidPart, { kind: 'reasoning' }>, switches: Switches): Block[] => {
  if (part.kind === 'thought') return [textBlock(thoughtText(part.text))]
  if (part.kind === 'text') return blocksOf(asTexts(part.content), switches)
  const { id, name, arguments: text } = part
  return [{ type: 'tool_use', id, name, input: argumentsObject(text) }]
}

const assistantBlocks = (turn: Said, switches: Switches): Block[] => {
  const { thoughts = [] } = messagesExtras(turn.extras)
  const placed = inPlace(turn.parts, switches.reasoning === 'off' ? [] : thoughts)
  const blocks = placed.flatMap(each =>
    each.is === 'part' ? partBlocks(each.part, switches) : [thoughtBlock(each.extra, each.text)],
  )
  return withoutLastThoughts(blocks, isThought)
}

/** The results first: after another block they would not count. */
const resultBlocks = (results: ResultPart[], switches: Switches): Block[] => {
  const beside: Block[] = []
  const told = results.map((result): Block => {
    const { id, content, failed } = result
    const parts = taken(result, switches)
    const inside = parts === undefined ? content : [...parts.texts, parts.note]
    beside.push(...blocksOf(parts?.beside ?? [], switches))
    const blocks = blocksOf(inside, switches)
    return {
      type: 'tool_result',
      tool_use_id: id,
      ...(blocks.length === 0 ? {} : { content: blocks }),
      ...(failed ? { is_error: true } : {}),
    }
  })
  return [...told, ...beside]
}

const messageOf = (turn: Turn, switches: Switches): Message => {
  if (turn.by === 'tools') return { role: 'user', content: resultBlocks(turn.results, switches) }
  if (turn.by === 'assistant') return { role: 'assistant', content: assistantBlocks(turn, switches) }
  const said = saidBy(turn.name, blocksOf(turn.content, switches))
  const isLater = turn.by !== 'user' && said.length > 0
  return { role: 'user', content: isLater ? saidBy(laterInstructions, said) : said }
}

const opening = (): Message => ({ role: 'user', content: [textBlock(goesOn)] })

/** Users begin and end, and alternate with assistants. */
const alternating = (messages: Message[]): Message[] => {
  const ordered: Message[] = []
  for (const message of messages.filter(({ content }) => content.length > 0)) {
    const last = ordered.at(-1)
    if (message.role === 'user' && last?.role === 'user') last.content.push(...message.content)
    else {
      if (message.role === 'assistant' && last?.role !== 'user') ordered.push(opening())
      ordered.push(message)
    }
  }
  return ordered.at(-1)?.role === 'user' ? ordered : [...ordered, opening()]
}

const isInstruction = (turn: Turn): turn is Instructing => turn.by === 'system' || turn.by === 'developer'

/** The instructions before the conversation, and the messages of the conversation. */
export const conversationOf = (
  turns: Turn[],
  switches: Switches,
): { system: Block[]; messages: Message[] } => {
  const first = turns.findIndex(turn => !isInstruction(turn))
  const before = turns.slice(0, first < 0 ? turns.length : first).filter(isInstruction)
  const rest = turns.slice(before.length)
  return {
    system: before.flatMap(({ content }) => blocksOf(asTexts(content), switches)),
    messages: alternating(rest.map(turn => messageOf(turn, switches))),
  }
}
