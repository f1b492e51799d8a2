// The panels of one task, all at one position of its history: what was said and the facts first, then how it came there.
import type { ComponentChildren } from 'preact'
import { isTerminal } from '../../src/contract/wire/task-status.ts'
import { AgentChart, type SendEvent } from './agent-chart.tsx'
import { Conversation } from './conversation.tsx'
import { Effects } from './effects.tsx'
import { EventList } from './event-list.tsx'
import { Facts } from './facts.tsx'
import type { KnownHistory } from './growing.ts'
import type { Position } from './position.ts'
import { Slider } from './slider.tsx'
import { TaskChart } from './task-chart.tsx'
import { Waterfall } from './waterfall.tsx'

/**
 * What a view adds to the panels: to the slider, above the conversation, and above the facts. `send`: sends an event to the
 * statechart of the agent.
 */
type Props = {
  history: KnownHistory
  position: Position
  slider: ComponentChildren
  above?: ComponentChildren
  side?: ComponentChildren
  send?: SendEvent | undefined
}

/** The statechart of the task; if its agent is one, that of the agent, and that of the task below it. */
const Charts = ({ history, position, send }: Pick<Props, 'history' | 'position' | 'send'>) => {
  const { task, count } = position.view.value
  const { now, before } = history.journal.statesAt(count)
  const own = <TaskChart task={task} lastMove={history.past.lastMove(count)} />
  const canSend = position.isLive.value && !isTerminal(task.status)
  return (
    <section class="panel side-part" aria-label="Statechart">
      {now === undefined ? (
        own
      ) : (
        <>
          <AgentChart
            agent={task.created?.agent ?? 'the agent'}
            now={now}
            before={before}
            send={canSend ? send : undefined}
          />
          <details>
            <summary>The chart of the task</summary>
            {own}
          </details>
        </>
      )}
    </section>
  )
}

export const Panels = ({ history, position, slider, above, side, send }: Props) => (
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
      <Charts history={history} position={position} send={send} />
      <Effects history={history} position={position} />
    </aside>
    <EventList history={history} position={position} />
    <Waterfall history={history} position={position} />
  </>
)
