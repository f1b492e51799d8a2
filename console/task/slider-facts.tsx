// Shows what is at the position: the event, its time, how many events were folded, and a link to its proof.
import { millisOf } from '../../src/history/task/millis.ts'
import { hrefOf } from '../api/router.ts'
import { count as number, timeOfDay } from '../ui/time.tsx'
import type { KnownHistory } from './growing.ts'
import type { Position } from './position.ts'

export const SliderFacts = ({ history, position }: { history: KnownHistory; position: Position }) => {
  const { count, of } = position.view.value
  const event = history.past.events[count - 1]
  return (
    <>
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
        from {number(count)} stored {count === 1 ? 'event' : 'events'}; nothing ran again
      </span>
      {event !== undefined && (
        <a class="only-link" href={hrefOf(`/proof/${event.position}`)}>
          Prove this event
        </a>
      )}
    </>
  )
}
