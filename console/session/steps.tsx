// The steps of a session: what was done, the reward, and what the environment showed after it.
import { useEnd } from '../ui/at-end.ts'
import { Scrolling } from '../ui/scrolling.tsx'
import type { SessionHistory } from './history.ts'
import { Rewards } from './rewards.tsx'
import { Shown } from './step.tsx'

/** The most events that are drawn. */
const mostShown = 200

export const Steps = ({ history }: { history: SessionHistory }) => {
  const { list, onScroll } = useEnd([history.length.value])
  const first = Math.max(0, history.events.length - mostShown)
  return (
    <section class="conversation panel" aria-label="Steps">
      <div class="panel-head">
        <h2>Steps</h2>
        <small>{history.view.step}</small>
      </div>
      <Rewards events={history.events} />
      <Scrolling class="conversation-list" label="Steps in order" of={list} onScroll={onScroll}>
        {first > 0 && <p class="hint">{first} earlier events are not shown.</p>}
        {history.events.slice(first).map(event => (
          <Shown key={event.header.revision} event={event} />
        ))}
      </Scrolling>
    </section>
  )
}
