// Writes turns as the input items of a response.
import { argumentsText } from '../call-arguments.ts'
import { inPlace, type Placed, withoutLastThoughts } from '../in-place.ts'
import { asTexts, taken, thoughtText } from '../parts.ts'
import type { ResultPart, Turn } from '../prompt.ts'
import type { Switches } from '../switches.ts'
import { inputContent, saidBy } from './content.ts'
import { partsOfThought, type ResponsesThought, responsesKept } from './kept.ts'

export type Item = { type?: string; [field: string]: unknown }
type Said = Extract<Turn, { by: 'assistant' }>

const reasoningItem = (thought: ResponsesThought, text: string): Item => {
  const { id, sealed, raw } = thought
  const parts = text === '' ? [] : partsOfThought(text, thought)
  const typed = parts.map(part => ({ type: raw ? 'reasoning_text' : 'summary_text', text: part }))
  return {
    type: 'reasoning',
    ...(id === undefined ? {} : { id }),
    ...(raw ? { summary: [], content: typed } : { summary: typed }),
    ...(sealed === undefined ? {} : { encrypted_content: sealed }),
  }
}

const messageItem = (text: string, phase: string | null | undefined): Item => ({
  role: 'assistant',
  content: [{ type: 'output_text', text }],
  ...(phase ? { phase } : {}),
})

const assistantItems = (turn: Said, switches: Switches): Item[] => {
  const { thoughts = [], phases = [] } = responsesKept(turn.kept)
  const placed = inPlace(turn.parts, switches.reasoning === 'off' ? [] : thoughts)
  let messages = 0
  const itemOf = (each: Placed<ResponsesThought>): Item[] => {
    if (each.is === 'kept') return [reasoningItem(each.kept, each.text)]
    const { part } = each
    if (part.kind === 'thought') return [messageItem(thoughtText(part.text), undefined)]
    if (part.kind === 'call') {
      const { id, name, arguments: text } = part
      return [{ type: 'function_call', call_id: id, name, arguments: argumentsText(text) }]
    }
    const [text, phase] = [asTexts(part.content).join('\n'), phases[messages++]]
    return text === '' ? [] : [messageItem(text, phase)]
  }
  return withoutLastThoughts(placed.flatMap(itemOf), ({ type }) => type === 'reasoning')
}

/** The results, and what a user says after them. */
const resultItems = (results: ResultPart[], switches: Switches): Item[] => {
  const beside: Item[] = []
  const told = results.map((result): Item => {
    const parts = taken(result, switches)
    const inside = parts === undefined ? result.content : [...parts.texts, parts.note]
    if (parts !== undefined && parts.beside.length > 0) {
      beside.push({ role: 'user', content: inputContent(parts.beside, switches) })
    }
    return { type: 'function_call_output', call_id: result.id, output: inputContent(inside, switches) }
  })
  return [...told, ...beside]
}

export const itemsOf = (turns: Turn[], switches: Switches): Item[] =>
  turns.flatMap((turn): Item[] => {
    if (turn.by === 'tools') return resultItems(turn.results, switches)
    if (turn.by === 'assistant') return assistantItems(turn, switches)
    const role = turn.by === 'user' || switches.roles === 'as_given' ? turn.by : switches.roles
    const content = turn.by === 'user' ? turn.content : asTexts(turn.content)
    return [{ role, content: saidBy(turn.name, inputContent(content, switches)) }]
  })
