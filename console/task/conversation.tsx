// The conversation as it was at the position: what the user said, and what the agent thought, said and called.
import type { ComponentChildren } from 'preact'
import { useEnd } from '../ui/at-end.ts'
import { Empty } from '../ui/notice.tsx'
import { Scrolling } from '../ui/scrolling.tsx'
import { entriesOf } from './entries.ts'
import type { KnownHistory } from './growing.ts'
import { EntryOf } from './item.tsx'
import type { Position } from './position.ts'

/** The most items that are drawn at rest, and while the position moves. Older items are left out. */
export const mostItems = 200
export const mostWhileMoving = 16

/** `children`: what stands above the beginning. */
type Props = { history: KnownHistory; position: Position; children?: ComponentChildren }

export const Conversation = ({ history, position, children }: Props) => {
  const { task, count } = position.view.value
  const { list, onScroll } = useEnd([count, history.length.value, position.isMoving.value])
  const isMoving = position.isMoving.value
  const most = isMoving ? mostWhileMoving : mostItems
  const left = Math.max(0, task.output.length - most)
  return (
    <section class="conversation panel" aria-label="Conversation">
      <div class="panel-head">
        <h2>Conversation</h2>
        {!position.isLive.value && <small>as of event {count - 1}</small>}
      </div>
      <Scrolling class="conversation-list" label="Messages in order" of={list} onScroll={onScroll}>
        {left === 0 && children}
        {left > 0 && <p class="hint">{left} earlier items are not shown.</p>}
        {entriesOf(task, history.spans, count, left).map((entry, n) => (
          // While the position moves, the present elements show other entries, which is faster than to make new
          // elements.
          <EntryOf key={isMoving ? `${n}` : entry.key} entry={entry} />
        ))}
        {task.created === undefined && <Empty title="Nothing was said yet" />}
      </Scrolling>
    </section>
  )
}
