// Writes turns as the messages of a chat completion.

import { goesOn, laterInstructions } from '../instructions.ts'
import { taken } from '../parts.ts'
import type { ResultPart, Turn } from '../prompt.ts'
import { wireId } from '../short-ids.ts'
import type { Switches } from '../switches.ts'
import { assistantMessage } from './assistant.ts'
import { type CompletionsContent, type CompletionsMessage, contentOf, together } from './content.ts'

// Puts messages in an order that templates of models accept. Many raise an error when roles do not alternate, or when
// instructions come later than first: https://github.com/ggml-org/llama.cpp/issues/19851

const isInstruction = ({ role }: CompletionsMessage): boolean => role === 'system' || role === 'developer'
const hasCalls = ({ tool_calls }: CompletionsMessage): boolean => tool_calls !== undefined

const joined = (a: CompletionsMessage, b: CompletionsMessage): CompletionsMessage => ({
  ...a,
  content: together(a.content as CompletionsContent, b.content as CompletionsContent),
})

/** Instructions at the beginning become one message, and later ones a message of the user. */
const systemFirst = (messages: CompletionsMessage[]): CompletionsMessage[] => {
  const ordered: CompletionsMessage[] = []
  for (const message of messages) {
    const [first] = ordered
    if (!isInstruction(message) || first === undefined) ordered.push(message)
    else if (ordered.length === 1 && isInstruction(first)) ordered[0] = joined(first, message)
    else
      ordered.push({
        role: 'user',
        content: together(laterInstructions, message.content as CompletionsContent),
      })
  }
  return ordered
}

const bridge: CompletionsMessage = { role: 'assistant', content: 'I have the results.' }
const opening: CompletionsMessage = { role: 'user', content: goesOn }

/** Users and assistants alternate; messages with calls and results do not count. */
const alternating = (messages: CompletionsMessage[]): CompletionsMessage[] => {
  const ordered: CompletionsMessage[] = []
  for (const message of messages) {
    const last = ordered.at(-1)
    const isFirst = last === undefined || isInstruction(last)
    if (message.role === 'assistant' && isFirst) ordered.push(opening)
    if (message.role === 'user' && last?.role === 'tool') ordered.push(bridge)
    const isSame = last?.role === message.role && ['user', 'assistant'].includes(message.role)
    if (isSame && !hasCalls(last) && !hasCalls(message)) ordered[ordered.length - 1] = joined(last, message)
    else ordered.push(message)
  }
  return ordered
}

const inOrder = (messages: CompletionsMessage[], { order }: Switches): CompletionsMessage[] => {
  if (order === 'any') return messages
  const ordered = systemFirst(messages)
  return order === 'alternate' ? alternating(ordered) : ordered
}

/** A name as strict endpoints take it. */
const nameOf = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)

const roleOf = (by: 'user' | 'system' | 'developer', { roles }: Switches): string =>
  by === 'user' || roles === 'as_given' ? by : roles

const saidMessage = (
  turn: Exclude<Turn, { by: 'assistant' | 'tools' }>,
  switches: Switches,
): CompletionsMessage => {
  const content = contentOf(turn.content, switches)
  const role = roleOf(turn.by, switches)
  if (turn.name === undefined) return { role, content }
  return switches.names === 'off'
    ? { role, content: together(`${turn.name}:`, content) }
    : { role, content, name: nameOf(turn.name) }
}

/** The messages with the results of calls, and the message with the images that the tools have returned, if it is needed. */
const resultMessages = (results: ResultPart[], switches: Switches): CompletionsMessage[] => {
  const pictures: CompletionsContent[] = []
  const told = results.map((given): CompletionsMessage => {
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

const messagesOfTurn = (turn: Turn, switches: Switches): CompletionsMessage[] => {
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
): CompletionsMessage[] => {
  const first = instructions ? [saidMessage({ by: 'system', content: [instructions] }, switches)] : []
  return inOrder([...first, ...turns.flatMap(turn => messagesOfTurn(turn, switches))], switches)
}
