// The conversation as it was at the position: what the user said, and what the agent thought, said and called.
import { useEffect, useRef } from 'preact/hooks'
import type { MessageContent, OutputItem, TextContentItem, ToolResultItem } from '../../src/contract/wire.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { Empty } from '../ui/notice.tsx'
import { Scrolling } from '../ui/scrolling.tsx'
import { Blocks, Content, Prose } from './content.tsx'
import type { TaskHistory } from './history.ts'
import type { Position } from './position.ts'
import { type Span, spanAt } from './spans.ts'
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

type Shared = {
  results: Map<string, ToolResultItem>
  spans: Map<string, Span>
  waiting: Set<string>
  agent: string
}

const Item = ({ item, shared }: { item: OutputItem; shared: Shared }) => {
  if (item.type === 'reasoning') return <Reasoning item={item} />
  if (item.type === 'tool_call') {
    const { call_id } = item
    return (
      <ToolCard
        call={item}
        result={shared.results.get(call_id)}
        span={shared.spans.get(call_id)}
        isWaiting={shared.waiting.has(call_id)}
      />
    )
  }
  if (item.type === 'tool_result') return null // with its call
  const note = item.status === 'incomplete' ? 'cut off' : undefined
  return (
    <>
      <Said
        who={item.name ?? (item.role === 'user' ? 'user' : shared.agent)}
        content={item.message_content}
        {...(note && { note })}
      />
      <Blocks blocks={item.block_list ?? []} />
    </>
  )
}

const sharedOf = (task: ShownTask, spans: readonly Span[], count: number): Shared => ({
  results: new Map(task.output.flatMap(item => (item.type === 'tool_result' ? [[item.call_id, item]] : []))),
  spans: new Map(
    spans.flatMap(span =>
      span.callId !== undefined && span.from < count ? [[span.callId, spanAt(span, count)]] : [],
    ),
  ),
  waiting: new Set(task.pendingCalls.map(({ call_id }) => call_id)),
  agent: task.created?.agent ?? 'agent',
})

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

/** The most items that are drawn. Older ones are left out of a very long conversation. */
const mostItems = 400

export const Conversation = ({ history, position }: { history: TaskHistory; position: Position }) => {
  const { task, count } = position.view.value
  const { list, onScroll } = useEnd([count, history.length.value])
  const { created } = task
  const shared = sharedOf(task, history.spans.all, count)
  const left = Math.max(0, task.output.length - mostItems)
  const before = created?.request.history_messages?.length ?? 0
  return (
    <section class="conversation panel" aria-label="Conversation">
      <div class="panel-head">
        <h2>Conversation</h2>
        {!position.isLive.value && <small>as of event {count - 1}</small>}
      </div>
      <Scrolling class="conversation-list" label="Messages in order" of={list} onScroll={onScroll}>
        {created !== undefined && (
          <Said
            who="user"
            content={created.request.user_message_content}
            {...(before > 0 && { note: `after ${before} earlier messages` })}
          />
        )}
        {left > 0 && <p class="hint">{left} earlier items are not shown.</p>}
        {task.output.slice(left).map((item, n) => (
          <div key={item.id ?? `${left + n}`}>
            {task.messages
              .filter(message => message.at === left + n)
              .map(message => (
                <Said key={message.id} who="user" content={message.content} />
              ))}
            <Item item={item} shared={shared} />
          </div>
        ))}
        {task.messages
          .filter(({ at }) => at === undefined || at >= task.output.length)
          .map(({ id, content, at }) => (
            <Said
              key={id}
              who="user"
              content={content}
              {...(at === undefined && { note: 'not seen by the agent yet' })}
            />
          ))}
        {created === undefined && <Empty title="Nothing was said yet" />}
      </Scrolling>
    </section>
  )
}
