// The moments of a session in order. The address names the chosen moment. If it names none, the newest one is shown.
import { useEffect, useRef } from 'preact/hooks'
import { Scrolling, scrollTo } from '../ui/scrolling.tsx'
import { timeOfDay } from '../ui/time.tsx'
import { type Moment, sinceOf } from './moments.ts'

/** The list has at most this many moments, around the chosen moment. The keys also reach the moments outside. */
const most = 500

const titleOf = ({ type, step, reason }: Moment): string => {
  if (step !== undefined) return step.tool
  if (type === 'EnvSessionClosed')
    return reason === 'closed' || reason === undefined ? 'closed' : `closed: ${reason}`
  return type.replace('EnvSession', '').toLowerCase()
}

type Props = { moments: readonly Moment[]; at: Moment; choose: (moment: Moment) => void }

export const MomentList = ({ moments, at, choose }: Props) => {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const [rows, row] = [list.current, list.current?.querySelector('[aria-current]')]
    if (rows && row) scrollTo(rows, row)
  }, [at.revision])
  const end = Math.max(moments.indexOf(at) + Math.floor(most / 2), most)
  const shown = moments.slice(Math.max(0, end - most), end)
  return (
    <section class="panel moments" aria-label="Steps">
      <div class="panel-head">
        <h2>Steps</h2>
        <small>
          {at.step?.number ?? 0} {sinceOf(moments, at)}
        </small>
      </div>
      <Scrolling class="moment-rows" label="Steps in order" of={list}>
        {shown.map(moment => (
          <button
            key={moment.revision}
            type="button"
            class={`moment${moment.step?.isFailed ? ' trouble' : ''}`}
            aria-current={moment === at ? 'step' : undefined}
            onClick={() => choose(moment)}
          >
            <span class="number">{moment.step?.number ?? ''}</span>
            <b>{titleOf(moment)}</b>
            <code>{moment.step === undefined ? '' : JSON.stringify(moment.step.args)}</code>
            <small>
              {moment.step !== undefined && moment.step.reward !== 0
                ? `+${Number(moment.step.reward.toFixed(3))}`.replace('+-', '−')
                : timeOfDay(moment.at).slice(0, 8)}
            </small>
          </button>
        ))}
      </Scrolling>
    </section>
  )
}
