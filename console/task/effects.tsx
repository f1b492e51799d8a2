// The newest effects of a task up to the position. A press on the intent or the result of an effect goes to that event.
import { millisOf } from '../../src/history/task/millis.ts'
import { duration } from '../ui/time.tsx'
import type { KnownHistory } from './growing.ts'
import type { Position } from './position.ts'
import { spanAt } from './spans.ts'

export const Effects = ({ history, position }: { history: KnownHistory; position: Position }) => {
  const { count } = position.rested.value
  const spans = history.spans.all.filter(({ effectId, from }) => effectId !== undefined && from < count)
  if (spans.length === 0) return null
  return (
    <section class="panel side-part" aria-label="Effects">
      <h2>Effects</h2>
      <ul class="effects">
        {spans.slice(-50).map(span => {
          const { name, from, to, fromMs, toMs, outcome, safe } = spanAt(span, count)
          const now = history.past.events[count - 1]
          const end = toMs ?? (now === undefined ? fromMs : millisOf(now.header.time))
          return (
            <li key={`${from}`}>
              <b>{name}</b> <small>{safe ? 'may run again' : 'runs once'}</small>
              <span>
                <button type="button" class="link" onClick={() => position.go(from + 1)}>
                  intent {from}
                </button>
                {to === undefined ? (
                  <span>running</span>
                ) : (
                  <button type="button" class="link" onClick={() => position.go(to + 1)}>
                    {outcome} {to}
                  </button>
                )}
                <small>{duration(end - fromMs)}</small>
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
