// The conversation as it was at the position: what the user said, and what the agent thought, said and called.
import type { Message } from '../../src/history/task/messages.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { useEnd } from '../ui/at-end.ts'
import { Empty } from '../ui/notice.tsx'
import { Scrolling } from '../ui/scrolling.tsx'
import type { TaskHistory } from './history.ts'
import { Item, type ItemProps, Said } from './item.tsx'
import type { Position } from './position.ts'
import { type Spans, spanAt } from './spans.ts'

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
