// The sum of the rewards, step by step, as a line.
import type { Moment } from './moments.ts'

const [width, height, edge] = [300, 64, 5]
/** A longer line is drawn with every n-th of its points. */
const mostPoints = 600

type Props = { moments: readonly Moment[]; at: Moment }

export const RewardLine = ({ moments, at }: Props) => {
  const every = Math.ceil(moments.length / mostPoints)
  const points = moments.filter((each, n) => n % every === 0 || each === at || n === moments.length - 1)
  const totals = points.map(({ total }) => total)
  const [low, high] = [Math.min(0, ...totals), Math.max(0, ...totals)]
  const x = (n: number) => edge + ((width - 2 * edge) * n) / Math.max(1, points.length - 1)
  const y = (total: number) =>
    high === low ? height / 2 : height - edge - ((height - 2 * edge) * (total - low)) / (high - low)
  const chosen = points.indexOf(at)
  const number = (value: number) => Number(value.toFixed(4))
  return (
    <figure class="reward">
      <figcaption>
        <b>{number(at.total)}</b> reward so far
        {at.step !== undefined && at.step.reward !== 0 && (
          <small> {number(at.step.reward)} by this step</small>
        )}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Reward from ${low} to ${high}`}>
        <line class="zero" x1={edge} x2={width - edge} y1={y(0)} y2={y(0)} />
        <polyline points={points.map(({ total }, n) => `${x(n)},${y(total)}`).join(' ')} />
        {chosen >= 0 && <circle cx={x(chosen)} cy={y(at.total)} r="4" />}
      </svg>
    </figure>
  )
}
