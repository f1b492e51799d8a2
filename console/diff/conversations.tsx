// The conversations of two tasks at the chosen moment, side by side, in pairs.

import { mostItems, mostWhileMoving } from '../task/conversation.tsx'
import { entriesOf } from '../task/entries.ts'
import { EntryOf } from '../task/item.tsx'
import { useEnd } from '../ui/at-end.ts'
import { Scrolling } from '../ui/scrolling.tsx'
import type { Comparison } from './comparison.ts'
import { type Pair, pairsOf } from './pairs.ts'

const Row = ({ pair: { left, right, isSame } }: { pair: Pair }) => (
  <div class={isSame ? 'pair' : 'pair other'}>
    {!isSame && <p class="unseen">These differ:</p>}
    {[left, right].map((entry, n) => (
      <div key={`${n}`} class="pair-side">
        {entry === undefined ? <small>nothing</small> : <EntryOf entry={entry} />}
      </div>
    ))}
  </div>
)

export const Conversations = ({ of }: { of: Comparison }) => {
  const [left, right] = of.sides
  const [leftCount, rightCount] = of.counts.value
  const tasks = [left.past.viewAfter(leftCount), right.past.viewAfter(rightCount)] as const
  const { list, onScroll } = useEnd([leftCount, rightCount, of.isMoving.value])
  const longest = Math.max(...tasks.map(({ output }) => output.length))
  const first = Math.max(0, longest - (of.isMoving.value ? mostWhileMoving : mostItems))
  const pairs = pairsOf(
    entriesOf(tasks[0], left.spans, leftCount, first),
    entriesOf(tasks[1], right.spans, rightCount, first),
  )
  return (
    <Scrolling class="pairs panel" label="What was said" of={list} onScroll={onScroll}>
      {first > 0 && <p class="hint">{first} earlier items are not shown.</p>}
      {pairs.map((pair, n) => (
        <Row key={`${first + n}`} pair={pair} />
      ))}
    </Scrolling>
  )
}
