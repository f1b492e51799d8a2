// The sum of the rewards, step by step, as a line. A press on the line shows the session as it was at that step.
import { Line } from '../ui/line.tsx'
import type { Moment } from './moments.ts'

const number = (value: number): number => Number(value.toFixed(4))

type Props = { moments: readonly Moment[]; at: Moment; choose: (moment: Moment | undefined) => void }

export const RewardLine = ({ moments, at, choose }: Props) => {
  const about = (n: number | undefined) => {
    const moment = (n === undefined ? undefined : moments[n]) ?? at
    const { step, total } = moment
    return (
      <>
        <b>{number(total)}</b> reward {moment === at ? 'so far' : step && `after step ${step.number}`}
        {step !== undefined && step.reward !== 0 && <small> {number(step.reward)} by this step</small>}
      </>
    )
  }
  const totals = moments.map(({ total }) => total)
  const newest = totals.at(-1) ?? 0
  const [low, high] = totals.reduce(([low, high], y) => [Math.min(low, y), Math.max(high, y)], [0, 0])
  return (
    <Line
      label={`Reward, step by step: from ${number(low)} to ${number(high)}, now ${number(newest)}`}
      values={totals}
      mark={moments.indexOf(at)}
      about={about}
      choose={n => choose(moments[n])}
    />
  )
}
