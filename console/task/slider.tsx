// Moves through the history of a task: by hand, by keys, or playing.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { millisOf } from '../../src/history/task/millis.ts'
import { hrefOf } from '../api/router.ts'
import { count as number, timeOfDay } from '../ui/time.tsx'
import type { KnownHistory } from './growing.ts'
import { createPlayer, type Player, speeds } from './player.ts'
import type { Position } from './position.ts'
import { StepButtons } from './step-buttons.tsx'
import { TimeSlider } from './time-slider.tsx'

// Plays and stops, at one of three speeds.

const PlayButtons = ({ player }: { player: Player }) => (
  <>
    <button
      type="button"
      class="play"
      aria-label={player.isPlaying.value ? 'Stop' : 'Play'}
      title="Play and stop (Space)"
      onClick={player.toggle}
    >
      {player.isPlaying.value ? '❚❚' : '▶'}
    </button>
    <fieldset class="speeds">
      <legend class="unseen">Speed</legend>
      {speeds.map(speed => (
        <button
          key={speed}
          type="button"
          class="chip"
          aria-pressed={player.speed.value === speed}
          onClick={() => {
            player.speed.value = speed
          }}
        >
          {speed === 'max' ? 'max' : `${speed}×`}
        </button>
      ))}
    </fieldset>
  </>
)

// Shows what is at the position: the event, its time, how many events were folded, and a link to its proof.

const SliderFacts = ({ history, position }: { history: KnownHistory; position: Position }) => {
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

/** `children`: what the view says about the event at the position. */
type Props = { history: KnownHistory; position: Position; children: ComponentChildren }

export const Slider = ({ history, position, children }: Props) => {
  const player = useMemo(() => createPlayer(history, position), [history])
  const { count, of } = position.view.value
  const event = history.past.events[count - 1]
  return (
    <TimeSlider
      of={position}
      length={of}
      label="Event"
      text={event === undefined ? 'none' : `event ${count - 1}, ${event.type}`}
      keys={{
        ' ': player.toggle,
        m: () => position.nextMove(1),
        'Shift+m': () => position.nextMove(-1),
        e: position.nextTrouble,
      }}
      before={<PlayButtons player={player} />}
      after={<StepButtons position={position} />}
    >
      <SliderFacts history={history} position={position} />
      {children}
    </TimeSlider>
  )
}
