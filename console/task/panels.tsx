// The panels of one task, all at one position of its history: what was said and the facts first, then how it came there.
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

/** What a view adds to the panels: to the slider, above the conversation, and above the facts. */
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
      <Conversation history={history} position={position}>
        {above}
      </Conversation>
      <aside class="side" aria-label="State">
        {side}
        <Facts position={position} />
        <section class="panel side-part" aria-label="Statechart">
          <Chart task={task} lastMove={history.past.lastMove(count)} />
        </section>
        <Effects history={history} position={position} />
      </aside>
      <EventList history={history} position={position} />
      <Waterfall history={history} position={position} />
    </>
  )
}
