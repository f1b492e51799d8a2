// What is at the position: the event, its time, how many events were folded, and the hash of the state.
import { millisOf } from '../../src/history/task/millis.ts'
import { hrefOf } from '../api/router.ts'
import { count as number, timeOfDay } from '../ui/time.tsx'
import type { TaskHistory } from './history.ts'
import type { Position } from './position.ts'
import { StateHash } from './state-hash.tsx'

export const SliderFacts = ({ history, position }: { history: TaskHistory; position: Position }) => {
  const { count, of } = position.view.value
  const event = history.past.events[count - 1]
  return (
    <div class="slider-facts">
      <span>
        event <b>{number(Math.max(0, count - 1))}</b> of {number(Math.max(0, of - 1))}
      </span>
      {event !== undefined && (
        <>
          <span>{event.type}</span>
          <span>{timeOfDay(millisOf(event.header.time))}</span>
        </>
      )}
      <span>
        folded {number(count)} {count === 1 ? 'event' : 'events'}, ran nothing
      </span>
      {event !== undefined && <a href={hrefOf(`/proof/${event.position}`)}>Prove this event</a>}
      <StateHash history={history} position={position} />
    </div>
  )
}
