// What an agent has said.
import type { MessageContent, Task } from './types.ts'

const inContent = (content: MessageContent): string =>
  typeof content === 'string'
    ? content
    : content.map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : '')).join('')

/** The text of the last message of the agent that is whole; empty: there is none. */
export const textOf = ({ output }: Pick<Task, 'output'>): string => {
  const said = output.findLast(
    item => item.type === 'message' && item.role === 'assistant' && item.status !== 'incomplete',
  )
  return said?.type === 'message' ? inContent(said.message_content) : ''
}
