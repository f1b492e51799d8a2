// The statechart of an agent at the position, as the stored events have it: no code of the agent runs. The events that may come
// next are below.
import { useMemo } from 'preact/hooks'
import { createAction } from '../ui/action.ts'
import { Problem } from '../ui/notice.tsx'
import { layoutOf } from './agent-layout.ts'
import { Chart } from './chart.tsx'
import { pathsOf, placeWords, readChart } from './chart-tree.ts'
import type { ChartState } from './journal.ts'

/** Sends an event to the chart. */
export type SendEvent = (type: string) => Promise<unknown>

/** The event of a message of the user: it has a field of its own. */
const messageEvent = 'message'

const NextEvents = ({ events, send }: { events: readonly string[]; send: SendEvent | undefined }) => {
  const { busy, error, run } = useMemo(createAction, [])
  if (events.length === 0) return <p class="hint">No event can move it now.</p>
  return (
    <>
      <h3>{send === undefined ? 'Events that may follow' : 'Send an event'}</h3>
      <ul class="chips" aria-label="Events that may follow">
        {events.map(type => (
          <li key={type}>
            {send === undefined || type === messageEvent ? (
              <code>{type}</code>
            ) : (
              <button
                type="button"
                class="chip"
                disabled={busy.value}
                onClick={() => void run(() => send(type))}
              >
                {type}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Problem text={error.value} />
    </>
  )
}

type Props = { agent: string; now: ChartState; before: ChartState | undefined; send: SendEvent | undefined }

export const AgentChart = ({ agent, now, before, send }: Props) => {
  const { chart, value, context, next_events: events } = now.machine
  const drawn = useMemo(() => {
    const tree = readChart(chart)
    return tree && { ...tree, layout: layoutOf(tree) }
  }, [chart])
  const lit = new Set(pathsOf(value))
  const left = new Set(pathsOf(before?.machine.value).filter(path => !lit.has(path)))
  const place = placeWords(value)
  return (
    <>
      <h2>{drawn?.root.name || agent}</h2>
      {drawn === undefined ? (
        <p>{place === '' ? 'This chart has one state.' : `The chart is in the state ${place}.`}</p>
      ) : (
        <Chart
          layout={drawn.layout}
          lit={lit}
          isLast={({ from, to }) => left.has(from) && lit.has(to)}
          move={now.event}
          words={`The chart of ${agent} is in the state ${place}`}
        />
      )}
      {drawn !== undefined && drawn.anywhere.length > 0 && (
        <p class="hint">In every state: {drawn.anywhere.join(', ')}.</p>
      )}
      <NextEvents events={events} send={send} />
      <details>
        <summary>Context</summary>
        <pre>{JSON.stringify(context, null, 2)}</pre>
      </details>
    </>
  )
}
