// One element of a conversation: a message, a reasoning, or a call with its result.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { MessageContent, OutputItem, TextContentItem } from '../../src/contract/wire.ts'
import { Markdown } from '../ui/markdown.tsx'
import { Blocks } from './blocks.tsx'
import { Content, type Form, TextButtons } from './content.tsx'
import type { Entry, ItemEntry } from './entries.ts'
import { ToolCard } from './tool-card.tsx'

type Part = Pick<TextContentItem, 'text'>

/** How many speakers have colours of their own (style/views.css). */
const colours = 5

/** `speaker`: the number of the speaker, which gives the colour; undefined: everybody has the same colour. */
type SaidProps = {
  who: string
  isUser: boolean
  speaker?: number | undefined
  content: MessageContent
  isGrowing?: boolean
  note?: ComponentChildren
}

/** Something that somebody said. */
export const Said = ({ who, isUser, speaker, content, isGrowing = false, note }: SaidProps) => {
  const form = useSignal<Form>('rendered')
  const colour = speaker === undefined ? '' : ` speaker-${speaker % colours}`
  return (
    <article class={isUser ? 'said by-user' : `said by-agent${colour}`}>
      <header>
        <span>
          {who}
          {note !== undefined && <small> {note}</small>}
        </span>
        <TextButtons content={content} form={form} isGrowing={isGrowing} />
      </header>
      <Content content={content} as={form.value} isGrowing={isGrowing} />
    </article>
  )
}

const Reasoning = ({ item }: { item: Extract<OutputItem, { type: 'reasoning' }> }) => {
  const parts: Part[] = [...item.summary, ...(item.content ?? [])]
  const text = parts.map(part => part.text).join('\n\n')
  return (
    <details class="reasoning">
      <summary>
        Reasoning <span class="brief">{text.slice(0, 120)}</span>
      </summary>
      <Markdown text={text} isGrowing={item.status === 'in_progress'} />
    </details>
  )
}

/** One item. It is drawn again only when one of its properties is another object; items never change. */
export const Item = ({ item, agent, speaker, ...call }: ItemEntry & { speaker?: number | undefined }) => {
  if (item.type === 'reasoning') return <Reasoning item={item} />
  if (item.type === 'tool_call') return <ToolCard call={item} {...call} />
  const note = item.status === 'incomplete' ? 'cut off' : undefined
  const isUser = item.role === 'user'
  const who = item.name ?? (isUser ? 'user' : agent)
  return (
    <>
      <Said
        who={who}
        isUser={isUser}
        speaker={speaker}
        content={item.message_content}
        isGrowing={item.status === 'in_progress'}
        note={note}
      />
      <Blocks blocks={item.block_list ?? []} />
    </>
  )
}

export const EntryOf = ({ entry }: { entry: Entry }) =>
  'item' in entry ? <Item {...entry} /> : <Said who="user" isUser content={entry.said} note={entry.note} />
