// Puts messages in an order that templates of models accept. Many raise an error when roles do not alternate, or when
// instructions come later than first: https://github.com/ggml-org/llama.cpp/issues/19851
import { goesOn, laterInstructions } from '../instructions.ts'
import type { Switches } from '../switches.ts'
import { type ChatContent, type ChatMessage, together } from './content.ts'

const isInstruction = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer'
const hasCalls = ({ tool_calls }: ChatMessage): boolean => tool_calls !== undefined

const joined = (a: ChatMessage, b: ChatMessage): ChatMessage => ({
  ...a,
  content: together(a.content as ChatContent, b.content as ChatContent),
})

/** Instructions at the beginning become one message, and later ones a message of the user. */
const systemFirst = (messages: ChatMessage[]): ChatMessage[] => {
  const ordered: ChatMessage[] = []
  for (const message of messages) {
    const [first] = ordered
    if (!isInstruction(message) || first === undefined) ordered.push(message)
    else if (ordered.length === 1 && isInstruction(first)) ordered[0] = joined(first, message)
    else ordered.push({ role: 'user', content: together(laterInstructions, message.content as ChatContent) })
  }
  return ordered
}

const bridge: ChatMessage = { role: 'assistant', content: 'I have the results.' }
const opening: ChatMessage = { role: 'user', content: goesOn }

/** Users and assistants alternate; messages with calls and results do not count. */
const alternating = (messages: ChatMessage[]): ChatMessage[] => {
  const ordered: ChatMessage[] = []
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

export const inOrder = (messages: ChatMessage[], { order }: Switches): ChatMessage[] => {
  if (order === 'any') return messages
  const ordered = systemFirst(messages)
  return order === 'alternate' ? alternating(ordered) : ordered
}
