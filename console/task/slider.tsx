// Moves through the history of a task: by hand, by keys, or playing.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { KnownHistory } from './growing.ts'
import { PlayButtons } from './play-buttons.tsx'
import { createPlayer } from './player.ts'
import type { Position } from './position.ts'
import { SliderFacts } from './slider-facts.tsx'
import { StepButtons } from './step-buttons.tsx'
import { TimeSlider } from './time-slider.tsx'

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
