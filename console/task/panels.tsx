// The panels of one task, all at one position of its history.
import type { ComponentChildren } from 'preact'
import { Chart } from './chart.tsx'
import { Conversation } from './conversation.tsx'
import { Effects } from './effects.tsx'
import { EventList } from './event-list.tsx'
import { Facts } from './facts.tsx'
import type { KnownHistory } from './growing.ts'
import type { Position } from './position.ts'
import { Slider } from './slider.tsx'
import { Waterfall } from './waterfall.tsx'

/** What a view adds to the panels: to the slider, above the conversation, and above the statechart. */
type Props = {
  history: KnownHistory
  position: Position
  slider: ComponentChildren
  above?: ComponentChildren
  side?: ComponentChildren
}

export const Panels = ({ history, position, slider, above, side }: Props) => {
  const { task, count } = position.view.value
  return (
    <>
      <Slider history={history} position={position}>
        {slider}
      </Slider>
      <EventList history={history} position={position} />
      <Conversation history={history} position={position}>
        {above}
      </Conversation>
      <aside class="side" aria-label="State">
        {side}
        <section class="panel side-part" aria-label="Statechart">
          <Chart task={task} lastMove={history.past.lastMove(count)} />
        </section>
        <Facts position={position} />
        <Effects history={history} position={position} />
      </aside>
      <Waterfall history={history} position={position} />
    </>
  )
}
