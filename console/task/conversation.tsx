// The conversation as it was at the position: what the user said, and what the agent thought, said and called.
import { useEffect, useRef } from 'preact/hooks'
import type { MessageContent, OutputItem, TextContentItem, ToolResultItem } from '../../src/contract/wire.ts'
import type { Message } from '../../src/history/task/messages.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { Empty } from '../ui/notice.tsx'
import { Scrolling } from '../ui/scrolling.tsx'
import { Blocks, Content, Prose } from './content.tsx'
import type { TaskHistory } from './history.ts'
import type { Position } from './position.ts'
import { type Span, type Spans, spanAt } from './spans.ts'
import { ToolCard } from './tool-card.tsx'

type Part = Pick<TextContentItem, 'text'>

const Said = ({ who, content, note }: { who: string; content: MessageContent; note?: string }) => (
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

type ItemProps = {
  item: OutputItem
  result: ToolResultItem | undefined
  span: Span | undefined
  isWaiting: boolean
  agent: string
}

/** One item. It is drawn again only when one of its properties is another object; items never change. */
const Item = ({ item, result, span, isWaiting, agent }: ItemProps) => {
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

/** The properties of the items from an index on. */
const itemsFrom = (task: ShownTask, first: number, spans: Spans, count: number): ItemProps[] => {
  const shown = task.output.slice(first)
  const results = new Map(
    shown.flatMap(item => (item.type === 'tool_result' ? [[item.call_id, item] as const] : [])),
  )
  const waiting = new Set(task.pendingCalls.map(({ call_id }) => call_id))
  const agent = task.created?.agent ?? 'agent'
  return shown.map(item => {
    const id = item.type === 'tool_call' ? item.call_id : undefined
    const span = id === undefined ? undefined : spans.ofCall(id)
    return {
      item,
      result: id === undefined ? undefined : results.get(id),
      span: span === undefined || span.from >= count ? undefined : spanAt(span, count),
      isWaiting: id !== undefined && waiting.has(id),
      agent,
    }
  })
}

/** Messages to the agent, by the number of items that came before them. */
const messagesOf = ({ messages, output }: ShownTask): Map<number, Message[]> => {
  const found = new Map<number, Message[]>()
  for (const message of messages) {
    const at = Math.min(message.at ?? output.length, output.length)
    found.set(at, [...(found.get(at) ?? []), message])
  }
  return found
}

/** How near its end a list must be to follow what is added, in pixels. */
const nearEnd = 60

/** Keeps the end of a list in sight while it grows, unless its reader has scrolled away from the end. */
const useEnd = (changes: unknown[]) => {
  const list = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (isAtEnd.current && list.current !== null) list.current.scrollTop = list.current.scrollHeight
  }, changes)
  const onScroll = () => {
    const element = list.current
    if (element !== null)
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd
  }
  return { list, onScroll }
}

/** The most items that are drawn, and while the position moves. Older ones are left out. */
const mostItems = 200
const mostWhileMoving = 24

const Messages = ({ messages }: { messages: Message[] | undefined }) => (
  <>
    {messages?.map(({ id, content, at }) => (
      <Said
        key={id}
        who="user"
        content={content}
        {...(at === undefined && { note: 'not seen by the agent yet' })}
      />
    ))}
  </>
)

export const Conversation = ({ history, position }: { history: TaskHistory; position: Position }) => {
  const { task, count } = position.view.value
  const { list, onScroll } = useEnd([count, history.length.value, position.isMoving.value])
  const { created } = task
  const most = position.isMoving.value ? mostWhileMoving : mostItems
  const left = Math.max(0, task.output.length - most)
  const messages = messagesOf(task)
  const before = created?.request.history_messages?.length ?? 0
  return (
    <section class="conversation panel" aria-label="Conversation">
      <div class="panel-head">
        <h2>Conversation</h2>
        {!position.isLive.value && <small>as of event {count - 1}</small>}
      </div>
      <Scrolling class="conversation-list" label="Messages in order" of={list} onScroll={onScroll}>
        {created !== undefined && left === 0 && (
          <Said
            who="user"
            content={created.request.user_message_content}
            {...(before > 0 && { note: `after ${before} earlier messages` })}
          />
        )}
        {left > 0 && <p class="hint">{left} earlier items are not shown.</p>}
        {itemsFrom(task, left, history.spans, count).map((props, n) => (
          <div key={props.item.id ?? `${left + n}`}>
            <Messages messages={messages.get(left + n)} />
            <Item {...props} />
          </div>
        ))}
        <Messages messages={messages.get(task.output.length)} />
        {created === undefined && <Empty title="Nothing was said yet" />}
      </Scrolling>
    </section>
  )
}
