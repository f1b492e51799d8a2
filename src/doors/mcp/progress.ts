// What a client hears of a task while its call lasts.
import type { OutputItem } from '../../contract/wire.ts'
import type { Frame } from '../../history/frames.ts'

/** The longest message, in characters. */
const longest = 200
const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

/** The message about a frame; undefined: it is nothing that a person would want to hear. */
export const progressOf = ({ type, item, text }: Frame): string | undefined => {
  if (type === 'task.queued') return 'The task waits for its turn.'
  if (type === 'task.working') return 'The agent works.'
  if (type === 'task.text.done' && text !== '') return short(String(text))
  if (type !== 'task.output_item.done') return undefined
  const done = item as OutputItem
  return done.type === 'tool_call' ? short(`${done.name} ${done.arguments}`) : undefined
}
