// A line of values, such as a metric over time, and the value at which somebody points.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

const [width, height, edge] = [300, 64, 4]
/** A longer line is drawn with every n-th of its points. */
const mostPoints = 800

/**
 * `label`: what the line shows, for those who do not see it. `mark`: the value with a dot. `about`: words for a value;
 * without a number, for the line when nobody points at it. `choose`: called with the value that is pressed.
 */
type Props = {
  label: string
  values: readonly number[]
  mark?: number
  about: (n: number | undefined) => ComponentChildren
  choose?: (n: number) => void
}

export const Line = ({ label, values, mark, about, choose }: Props) => {
  const pointed = useSignal<number | undefined>(undefined)
  const last = values.length - 1
  const every = Math.ceil(values.length / mostPoints)
  const [low, high] = values.reduce(([low, high], y) => [Math.min(low, y), Math.max(high, y)], [0, 0])
  const x = (n: number) => edge + ((width - 2 * edge) * n) / Math.max(1, last)
  const y = (value: number) =>
    high === low ? height - edge : height - edge - ((height - 2 * edge) * (value - low)) / (high - low)
  const points = values.flatMap((value, n) =>
    n % every === 0 || n === mark || n === last ? [`${x(n)},${y(value)}`] : [],
  )
  const numberAt = ({ currentTarget, clientX }: PointerEvent): number => {
    const { left, width: wide } = (currentTarget as Element).getBoundingClientRect()
    const share = ((clientX - left) / Math.max(1, wide)) * width
    const n = Math.round(((share - edge) / (width - 2 * edge)) * last)
    return Math.min(last, Math.max(0, n))
  }
  const dot = (n: number | undefined, kind: string) => {
    const value = n === undefined ? undefined : values[n]
    // A line without a length has the round end of its stroke, also where the drawing is stretched.
    return value === undefined || n === undefined ? null : <path class={kind} d={`M${x(n)},${y(value)}h0`} />
  }
  return (
    <figure class={choose ? 'line is-pressed' : 'line'}>
      <figcaption>{about(pointed.value)}</figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        onPointerMove={event => {
          if (last >= 0) pointed.value = numberAt(event)
        }}
        onPointerLeave={() => {
          pointed.value = undefined
        }}
        onPointerUp={event => {
          if (last >= 0) choose?.(numberAt(event))
        }}
      >
        <path class="zero" d={`M${edge},${y(0)}H${width - edge}`} />
        <polyline points={points.join(' ')} />
        {dot(mark, 'mark-dot')}
        {dot(pointed.value, 'pointed-dot')}
      </svg>
    </figure>
  )
}
