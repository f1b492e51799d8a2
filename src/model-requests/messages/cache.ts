// Marks the places up to which an endpoint shall cache the prompt: the tools, the instructions, and the newest two
// messages of users, so that each call finds what the call before it has cached. An endpoint takes four marks:
// https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
import type { Block } from './blocks.ts'
import type { Message } from './turns.ts'

const marked = <T extends object>(list: readonly T[]): T[] =>
  list.map((each, n) => (n === list.length - 1 ? { ...each, cache_control: { type: 'ephemeral' } } : each))

/** How many of the newest messages of users are marked. */
const newest = 2

type Parts = { system: Block[]; messages: Message[]; tools: object[] }

export const withMarks = ({ system, messages, tools }: Parts): Parts => {
  const users = messages.filter(({ role }) => role === 'user').slice(-newest)
  return {
    system: marked(system),
    messages: messages.map(message =>
      users.includes(message) ? { ...message, content: marked(message.content) } : message,
    ),
    tools: marked(tools),
  }
}
