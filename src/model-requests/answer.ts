// The items of a step as messages of an assistant, for rollouts: with its thoughts, and its calls as it wrote them.
import type { OutputItem } from '../contract/wire.ts'
import {
  type CompletionsContent,
  type CompletionsMessage,
  contentOf,
  together,
} from './completions/content.ts'
import type { Turn } from './prompt.ts'
import { plain } from './switches.ts'
import { thoughtIn, turnsOf } from './turns.ts'

const messageOf = (turn: Extract<Turn, { by: 'assistant' }>): CompletionsMessage => {
  let content: CompletionsContent | undefined
  const calls = []
  for (const part of turn.parts) {
    if (part.kind === 'text') content = together(content, contentOf(part.content, plain))
    if (part.kind !== 'call') continue
    const { id, name, arguments: text } = part
    calls.push({ id, type: 'function', function: { name, arguments: text } })
  }
  return {
    role: 'assistant',
    content: content ?? null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(turn.name === undefined ? {} : { name: turn.name }),
  }
}

export const answerOf = (said: OutputItem[]): CompletionsMessage[] => {
  const thought = said.map(thoughtIn).filter(Boolean).join('\n')
  const messages = turnsOf(said, []).flatMap(turn => (turn.by === 'assistant' ? [messageOf(turn)] : []))
  const [first = { role: 'assistant', content: null }, ...rest] = messages
  return [thought === '' ? first : { ...first, reasoning_content: thought }, ...rest]
}
