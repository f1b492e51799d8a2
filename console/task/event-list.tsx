// The events of a task. Only the rows in sight are drawn. A press on a row goes to that event.
import { useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useRowsInSight } from '../ui/rows-in-sight.ts'
import { Scrolling } from '../ui/scrolling.tsx'
import { count as number, timeOfDay } from '../ui/time.tsx'
import type { KnownHistory } from './growing.ts'
import type { Position } from './position.ts'
import { type EventRow, type Group, groups } from './rows.ts'

const rowHeight = 44

const Row = ({ row, at, top, position }: { row: EventRow; at: number; top: number; position: Position }) => {
  const isNow = row.first < at && at <= row.last + 1
  return (
    <button
      type="button"
      class={`event in-${row.group}${isNow ? ' now' : ''}${row.first >= at ? ' later' : ''}${row.isTrouble ? ' trouble' : ''}`}
      style={{ top: `${top}px` }}
      aria-current={isNow ? 'step' : undefined}
      onClick={() => position.go(row.last + 1)}
    >
      <span class="event-number">{row.first === row.last ? row.first : `${row.first}–${row.last}`}</span>
      <span class="event-type">{row.type}</span>
      <span class="event-time">{timeOfDay(row.time)}</span>
      <span class="event-detail">{row.detail}</span>
      <span class="event-frame">{row.frame === undefined ? '' : `#${row.frame}`}</span>
    </button>
  )
}

export const EventList = ({ history, position }: { history: KnownHistory; position: Position }) => {
  const hidden = useSignal<ReadonlySet<Group>>(new Set())
  const rows = useComputed(() => {
    const { all } = history.rows
    const of = history.length.value
    return hidden.value.size === 0
      ? { list: all, of }
      : { list: all.filter(row => !hidden.value.has(row.group)), of }
  })
  const { list } = rows.value
  const sight = useRowsInSight(list.length, rowHeight)
  const at = position.count.value
  useEffect(() => {
    const all = hidden.value.size === 0
    const index = all ? history.rows.indexOf(at - 1) : list.findIndex(row => row.last >= at - 1)
    if (index >= 0) sight.show(index)
  }, [at, list.length])
  const toggle = (group: Group) => {
    const next = new Set(hidden.value)
    if (!next.delete(group)) next.add(group)
    hidden.value = next
  }
  return (
    <section class="events panel" aria-label="Events">
      <div class="panel-head">
        <h2>Events</h2>
        <small>{number(history.length.value)}</small>
      </div>
      <fieldset class="groups">
        <legend class="unseen">Kinds of events</legend>
        {groups.map(group => (
          <button
            key={group}
            type="button"
            class="chip"
            aria-pressed={!hidden.value.has(group)}
            onClick={() => toggle(group)}
          >
            {group}
          </button>
        ))}
      </fieldset>
      <Scrolling class="event-rows" label="Events in order" of={sight.list} onScroll={sight.onScroll}>
        <div style={{ height: `${list.length * rowHeight}px` }} class="event-space">
          {list.slice(sight.first, sight.end).map((row, n) => (
            <Row
              key={position.isMoving.value ? n : row.first}
              row={row}
              at={at}
              top={(sight.first + n) * rowHeight}
              position={position}
            />
          ))}
        </div>
      </Scrolling>
    </section>
  )
}
