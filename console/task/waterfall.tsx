// What took time, as bars on one axis: waits, steps of the agent, tools and subagents. Somebody can look closer at a part
// of the axis, with buttons, or by dragging over it.
import { type Signal, useSignal } from '@preact/signals'
import type { TargetedPointerEvent } from 'preact'
import { isTerminal } from '../../src/contract/wire/task-status.ts'
import { millisOf } from '../../src/history/task/millis.ts'
import { dayAndTime, duration, moment, now } from '../ui/time.tsx'
import type { KnownHistory } from './growing.ts'
import type { Position } from './position.ts'
import { aboutSpan, type Span, spanAt } from './spans.ts'
import { between, panned, type Range, ticksOf, zoomed } from './zoom.ts'

/** The largest number of bars. If a range has more spans, its longest ones are shown. */
const mostBars = 60

const shownOf = (spans: readonly Span[]): readonly Span[] => {
  if (spans.length <= mostBars) return spans
  const long = new Set(
    spans
      .toSorted((a, b) => (b.toMs ?? Number.MAX_VALUE) - b.fromMs - ((a.toMs ?? Number.MAX_VALUE) - a.fromMs))
      .slice(0, mostBars),
  )
  return spans.filter(span => long.has(span))
}

/** `whole`: the length of the axis. `zoom`: the range that is shown; undefined: all. */
type Axis = { whole: number; range: Range; zoom: Signal<Range | undefined> }

const ZoomButtons = ({ whole, range, zoom }: Axis) => {
  const set = (next: Range) => {
    zoom.value = next.to - next.from >= whole ? undefined : next
  }
  const isAll = zoom.value === undefined
  return (
    <fieldset class="zoom">
      <legend class="unseen">Zoom</legend>
      {!isAll && (
        <>
          <button type="button" aria-label="Earlier" onClick={() => set(panned(range, -0.5, whole))}>
            ←
          </button>
          <button type="button" aria-label="Later" onClick={() => set(panned(range, 0.5, whole))}>
            →
          </button>
        </>
      )}
      <button type="button" aria-label="Closer" onClick={() => set(zoomed(range, 0.5, whole))}>
        +
      </button>
      <button
        type="button"
        aria-label="Farther"
        disabled={isAll}
        onClick={() => set(zoomed(range, 2, whole))}
      >
        −
      </button>
      <button type="button" disabled={isAll} onClick={() => (zoom.value = undefined)}>
        All
      </button>
    </fieldset>
  )
}

/** The axis. A drag over it zooms to the part between both ends, and a wheel with Ctrl around the pointer. */
const Ruler = ({ whole, range, zoom }: Axis) => {
  const drag = useSignal<{ from: number; to: number } | undefined>(undefined)
  const length = range.to - range.from
  const share = (ms: number) => `${(100 * (ms - range.from)) / length}%`
  const momentAt = (event: { clientX: number; currentTarget: Element }): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return range.from + (Math.max(0, Math.min(width, event.clientX - left)) / width) * length
  }
  const end = (event: TargetedPointerEvent<HTMLElement>) => {
    const given = drag.value
    drag.value = undefined
    if (given === undefined) return
    const to = momentAt(event)
    if (Math.abs(to - given.from) > length / 100) zoom.value = between(given.from, to, whole)
  }
  const marked = drag.value && between(drag.value.from, drag.value.to, whole)
  return (
    <div
      class="ruler"
      title="Drag to look closer"
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId)
        const at = momentAt(event)
        drag.value = { from: at, to: at }
      }}
      onPointerMove={event => {
        if (drag.value !== undefined) drag.value = { ...drag.value, to: momentAt(event) }
      }}
      onPointerUp={end}
      onPointerCancel={() => {
        drag.value = undefined
      }}
      onWheel={event => {
        if (!event.ctrlKey) return
        event.preventDefault()
        const next = zoomed(range, event.deltaY < 0 ? 0.8 : 1.25, whole, momentAt(event))
        zoom.value = next.to - next.from >= whole ? undefined : next
      }}
    >
      {ticksOf(range).map(({ at, text }) => (
        <span key={at} class="ruler-mark" style={{ left: share(at) }}>
          {text}
        </span>
      ))}
      {marked && (
        <span
          class="marked"
          style={{ left: share(marked.from), width: `${(100 * (marked.to - marked.from)) / length}%` }}
        />
      )}
    </div>
  )
}

const Bar = ({
  span,
  start,
  end,
  range,
  go,
}: {
  span: Span
  start: number
  end: number
  range: Range
  go: () => void
}) => {
  const [from, to] = [span.fromMs - start, (span.toMs ?? end) - start]
  const length = range.to - range.from
  const left = Math.max(0, (from - range.from) / length)
  const right = Math.min(1, (to - range.from) / length)
  const about = aboutSpan(span, dayAndTime)
  const whole = [span.name, aboutSpan(span, moment), span.outcome ?? 'goes on'].filter(Boolean).join(', ')
  return (
    <li>
      <button type="button" class="bar-line" title={whole} onClick={go}>
        <span class="bar-name">
          {span.name}
          {about !== '' && <small> {about}</small>}
        </span>
        <span class="bar-space">
          <span
            class={`bar is-${span.kind}${span.outcome === 'incomplete' ? ' trouble' : ''}`}
            style={{ left: `${100 * left}%`, width: `${100 * Math.max(0, right - left)}%` }}
          />
        </span>
        <span class="bar-time">{duration(to - from)}</span>
      </button>
    </li>
  )
}

export const Waterfall = ({ history, position }: { history: KnownHistory; position: Position }) => {
  const zoom = useSignal<Range | undefined>(undefined)
  const { task, count } = position.rested.value
  const event = history.past.events[count - 1]
  if (event === undefined) return null
  const runs = position.isLive.value && !isTerminal(task.status)
  const end = Math.max(millisOf(event.header.time), runs ? now.value : 0)
  const start = task.createdAt
  const whole = Math.max(1, end - start)
  const range = zoom.value ?? { from: 0, to: whole }
  const spans = history.spans.all
    .filter(({ from }) => from < count)
    .map(span => spanAt(span, count))
    .filter(({ fromMs, toMs }) => fromMs - start <= range.to && (toMs ?? end) - start >= range.from)
  const shown = shownOf(spans)
  const axis = { whole, range, zoom }
  return (
    <section class="waterfall panel" aria-label="What took time">
      <div class="panel-head">
        <h2>What took time</h2>
        <small>
          {zoom.value === undefined
            ? duration(whole)
            : `${duration(range.to - range.from)} of ${duration(whole)}`}
          {shown.length < spans.length && `, the longest ${shown.length} of ${spans.length}`}
        </small>
        <ZoomButtons {...axis} />
      </div>
      <div class="ruler-line">
        <Ruler {...axis} />
      </div>
      <ol>
        {shown.map(span => (
          <Bar
            key={`${span.kind} ${span.from}`}
            {...{ span, start, end, range }}
            go={() => position.go((span.to ?? span.from) + 1)}
          />
        ))}
        {shown.length === 0 && <li class="hint">Nothing took time here.</li>}
      </ol>
    </section>
  )
}
