// The conversations of two tasks at the chosen moment, side by side, in pairs.

import { canonical } from '../../src/contract/json/canonical.ts'
import { createContents } from '../../src/history/diff/content.ts'
import { mostItems, mostWhileMoving } from '../task/conversation.tsx'
import { type Entry, entriesOf } from '../task/entries.ts'
import { EntryOf } from '../task/item.tsx'
import { useEnd } from '../ui/at-end.ts'
import { Scrolling } from '../ui/scrolling.tsx'
import type { Comparison } from './comparison.ts'

// Puts the items of two tasks into pairs, and compares each pair. Ids and times do not count in the comparison.

type Pair = { left: Entry | undefined; right: Entry | undefined; isSame: boolean }

/** The contents of items that were compared before. Items never change. */
const known = new WeakMap<object, string>()
const contentOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return canonical(value ?? null)
  const found = known.get(value) ?? canonical(createContents()(value))
  known.set(value, found)
  return found
}
const isSame = (left: Entry | undefined, right: Entry | undefined): boolean => {
  if (left === undefined || right === undefined) return false
  if (!('item' in left) || !('item' in right))
    return 'said' in left && 'said' in right && contentOf(left.said) === contentOf(right.said)
  return contentOf(left.item) === contentOf(right.item) && contentOf(left.result) === contentOf(right.result)
}

const pairsOf = (left: readonly Entry[], right: readonly Entry[]): Pair[] =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, n) => ({
    left: left[n],
    right: right[n],
    isSame: isSame(left[n], right[n]),
  }))

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
