// One element of a conversation: a message, a reasoning, or a call with its result.
import type { MessageContent, OutputItem, TextContentItem, ToolResultItem } from '../../src/contract/wire.ts'
import { Blocks } from './blocks.tsx'
import { Content, Prose } from './content.tsx'
import type { Span } from './spans.ts'
import { ToolCard } from './tool-card.tsx'

type Part = Pick<TextContentItem, 'text'>

export const Said = ({ who, content, note }: { who: string; content: MessageContent; note?: string }) => (
  <article class={`said by-${who === 'user' ? 'user' : 'agent'}`}>
    <header>
      {who}
      {note !== undefined && <small> {note}</small>}
    </header>
    <Content content={content} />
  </article>
)

const Reasoning = ({ item }: { item: Extract<OutputItem, { type: 'reasoning' }> }) => {
  const parts: Part[] = [...item.summary, ...(item.content ?? [])]
  const text = parts.map(part => part.text).join('\n\n')
  return (
    <details class="reasoning">
      <summary>
        Reasoning <span class="brief">{text.slice(0, 120)}</span>
      </summary>
      <Prose text={text} />
    </details>
  )
}

export type ItemProps = {
  item: OutputItem
  result: ToolResultItem | undefined
  span: Span | undefined
  isWaiting: boolean
  agent: string
}

/** One item. It is drawn again only when one of its properties is another object; items never change. */
export const Item = ({ item, result, span, isWaiting, agent }: ItemProps) => {
  if (item.type === 'reasoning') return <Reasoning item={item} />
  if (item.type === 'tool_call')
    return <ToolCard call={item} result={result} span={span} isWaiting={isWaiting} />
  if (item.type === 'tool_result') return null // with its call
  const note = item.status === 'incomplete' ? 'cut off' : undefined
  const who = item.name ?? (item.role === 'user' ? 'user' : agent)
  return (
    <>
      <Said who={who} content={item.message_content} {...(note && { note })} />
      <Blocks blocks={item.block_list ?? []} />
    </>
  )
}
