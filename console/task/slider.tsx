// Moves through the history of a task: by hand, by keys, or playing.
import { useMemo } from 'preact/hooks'
import { useKeys } from '../ui/keys.tsx'
import type { TaskHistory } from './history.ts'
import { PlayButtons } from './play-buttons.tsx'
import { createPlayer } from './player.ts'
import type { Position } from './position.ts'
import { SliderFacts } from './slider-facts.tsx'
import { StepButtons } from './step-buttons.tsx'

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
        <PlayButtons player={player} />
        <input
          type="range"
          aria-label="Event"
          aria-valuetext={event === undefined ? 'none' : `event ${count - 1}, ${event.type}`}
          min={1}
          max={Math.max(1, of)}
          value={count}
          onInput={input => position.go(Number(input.currentTarget.value))}
        />
        <StepButtons position={position} />
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
      <SliderFacts history={history} position={position} />
    </section>
  )
}
