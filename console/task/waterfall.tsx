// What took time, as bars on one axis: waits, steps of the agent, tools and subagents.

import { isTerminal } from '../../src/contract/wire/task-status.ts'
import { millisOf } from '../../src/history/task/millis.ts'
import { duration, now } from '../ui/time.tsx'
import type { KnownHistory } from './growing.ts'
import type { Position } from './position.ts'
import { type Span, spanAt } from './spans.ts'

/** The largest number of bars. If a task has more spans, its longest ones are shown. */
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

export const Waterfall = ({ history, position }: { history: KnownHistory; position: Position }) => {
  const { task, count } = position.rested.value
  const event = history.past.events[count - 1]
  if (event === undefined) return null
  const runs = position.isLive.value && !isTerminal(task.status)
  const end = Math.max(millisOf(event.header.time), runs ? now.value : 0)
  const whole = Math.max(1, end - task.createdAt)
  const spans = shownOf(history.spans.all.filter(({ from }) => from < count)).map(span => spanAt(span, count))
  const share = (ms: number) => `${(100 * ms) / whole}%`
  return (
    <section class="waterfall panel" aria-label="What took time">
      <div class="panel-head">
        <h2>What took time</h2>
        <small>{duration(whole)}</small>
      </div>
      <ol>
        {spans.map(span => {
          const took = (span.toMs ?? end) - span.fromMs
          return (
            <li key={`${span.kind} ${span.from}`}>
              <button type="button" class="bar-line" onClick={() => position.go((span.to ?? span.from) + 1)}>
                <span class="bar-name">{span.name}</span>
                <span class="bar-space">
                  <span
                    class={`bar is-${span.kind}`}
                    style={{ left: share(span.fromMs - task.createdAt), width: share(took) }}
                  />
                </span>
                <span class="bar-time">{duration(took)}</span>
              </button>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
