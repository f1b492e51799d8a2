// Writes turns as the messages of a chat completion.
import { taken } from '../parts.ts'
import type { ResultPart, Turn } from '../prompt.ts'
import { wireId } from '../short-ids.ts'
import type { Switches } from '../switches.ts'
import { assistantMessage } from './assistant.ts'
import { type ChatContent, type ChatMessage, contentOf, together } from './content.ts'
import { inOrder } from './order.ts'

/** A name as strict endpoints take it. */
const nameOf = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)

const roleOf = (by: 'user' | 'system' | 'developer', { roles }: Switches): string =>
  by === 'user' || roles === 'as_given' ? by : roles

const saidMessage = (turn: Exclude<Turn, { by: 'assistant' | 'tools' }>, switches: Switches): ChatMessage => {
  const content = contentOf(turn.content, switches)
  const role = roleOf(turn.by, switches)
  if (turn.name === undefined) return { role, content }
  return switches.names === 'off'
    ? { role, content: together(`${turn.name}:`, content) }
    : { role, content, name: nameOf(turn.name) }
}

/** The messages with the results of calls, and the message with the images that the tools have returned, if it is needed. */
const resultMessages = (results: ResultPart[], switches: Switches): ChatMessage[] => {
  const pictures: ChatContent[] = []
  const told = results.map((given): ChatMessage => {
    const { id, content } = given
    const result = { role: 'tool', tool_call_id: wireId(id, switches) }
    const parts = taken(given, switches)
    if (parts === undefined) return { ...result, content: contentOf(content, switches) }
    if (parts.beside.length > 0) pictures.push(contentOf(parts.beside, switches))
    return { ...result, content: together(contentOf(parts.texts, switches) || undefined, parts.note) }
  })
  if (pictures.length === 0) return told
  return [...told, { role: 'user', content: pictures.reduce(together) }]
}

const messagesOfTurn = (turn: Turn, switches: Switches): ChatMessage[] => {
  if (turn.by === 'tools') return resultMessages(turn.results, switches)
  if (turn.by !== 'assistant') return [saidMessage(turn, switches)]
  const message = assistantMessage(turn, switches, id => wireId(id, switches))
  if (message === undefined) return []
  return [
    turn.name === undefined || switches.names === 'off' ? message : { ...message, name: nameOf(turn.name) },
  ]
}

/** The messages of a chat completion: the instructions, then the conversation in order. */
export const messagesOf = (
  turns: Turn[],
  instructions: string | undefined,
  switches: Switches,
): ChatMessage[] => {
  const first = instructions ? [saidMessage({ by: 'system', content: [instructions] }, switches)] : []
  return inOrder([...first, ...turns.flatMap(turn => messagesOfTurn(turn, switches))], switches)
}
