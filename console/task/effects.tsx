// The newest effects of a task up to the position. A press on the intent or the result of an effect goes to that event.
import { millisOf } from '../../src/history/task/millis.ts'
import { readable } from '../ui/readable.ts'
import { dayAndTime, duration } from '../ui/time.tsx'
import type { KnownHistory } from './growing.ts'
import type { Event } from './past.ts'
import type { Position } from './position.ts'
import { aboutSpan, spanAt } from './spans.ts'
import { textOf } from './words.ts'

/** The result of a call that only the code of an agent sees: it stands in no item of the conversation. */
const valueIn = (event: Event | undefined): string | undefined => {
  if (event?.type !== 'EffectCompleted' || event.data.bare !== true) return undefined
  const value = textOf(event.data.content)
  return value === '' || value === 'null' ? undefined : value
}

export const Effects = ({ history, position }: { history: KnownHistory; position: Position }) => {
  const { count } = position.rested.value
  const spans = history.spans.all.filter(({ effectId, from }) => effectId !== undefined && from < count)
  if (spans.length === 0) return null
  return (
    <section class="panel side-part" aria-label="Effects">
      <h2>Effects</h2>
      <ul class="effects">
        {spans.slice(-50).map(span => {
          const shown = spanAt(span, count)
          const { name, from, to, fromMs, toMs, outcome, safe } = shown
          const about = aboutSpan(shown, dayAndTime)
          const value = to === undefined ? undefined : valueIn(history.past.events[to])
          const now = history.past.events[count - 1]
          const end = toMs ?? (now === undefined ? fromMs : millisOf(now.header.time))
          return (
            <li key={`${from}`}>
              <b>{name}</b>{' '}
              <small>
                {about !== '' && `${about}, `}
                {safe ? 'may run again' : 'runs once'}
              </small>
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
              {value !== undefined && (
                <details>
                  <summary>
                    <code class="brief">{value}</code>
                  </summary>
                  <pre>{readable(value)}</pre>
                </details>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
