// Moves through the history of a task: by hand, by keys, or playing.
import { useMemo } from 'preact/hooks'
import { millisOf } from '../../src/history/task/millis.ts'
import { hrefOf } from '../api/router.ts'
import { useKeys } from '../ui/keys.tsx'
import { count as number, timeOfDay } from '../ui/time.tsx'
import type { TaskHistory } from './history.ts'
import { createPlayer, speeds } from './player.ts'
import type { Position } from './position.ts'
import { StateHash } from './state-hash.tsx'

const Buttons = ({ position }: { position: Position }) => (
  <fieldset class="steps">
    <legend class="unseen">Move by events</legend>
    <button
      type="button"
      aria-label="Move before"
      title="Move before (Shift m)"
      onClick={() => position.nextMove(-1)}
    >
      ⇤
    </button>
    <button
      type="button"
      aria-label="One event back"
      title="One event back (←)"
      onClick={() => position.by(-1)}
    >
      ←
    </button>
    <button type="button" aria-label="One event on" title="One event on (→)" onClick={() => position.by(1)}>
      →
    </button>
    <button type="button" aria-label="Next move" title="Next move (m)" onClick={() => position.nextMove(1)}>
      ⇥
    </button>
    <button type="button" aria-label="Next error" title="Next error (e)" onClick={position.nextTrouble}>
      ✕
    </button>
  </fieldset>
)

export const Slider = ({ history, position }: { history: TaskHistory; position: Position }) => {
  const player = useMemo(() => createPlayer(history, position), [history])
  const { count, of } = position.view.value
  const event = history.past.events[count - 1]
  useKeys({
    ' ': player.toggle,
    ArrowLeft: () => position.by(-1),
    ArrowRight: () => position.by(1),
    'Shift+ArrowLeft': () => position.by(-10),
    'Shift+ArrowRight': () => position.by(10),
    Home: () => position.go(1),
    End: () => position.go(undefined),
    m: () => position.nextMove(1),
    'Shift+m': () => position.nextMove(-1),
    e: position.nextTrouble,
    l: () => position.go(undefined),
  })
  return (
    <section class="slider panel" aria-label="Time">
      <div class="slider-line">
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
        <input
          type="range"
          aria-label="Event"
          aria-valuetext={event === undefined ? 'none' : `event ${count - 1}, ${event.type}`}
          min={1}
          max={Math.max(1, of)}
          value={count}
          onInput={input => position.go(Number(input.currentTarget.value))}
        />
        <Buttons position={position} />
        <button
          type="button"
          class="live"
          aria-pressed={position.isLive.value}
          title="Follow the present (l)"
          onClick={() => position.go(undefined)}
        >
          Present
        </button>
      </div>
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
    </section>
  )
}
