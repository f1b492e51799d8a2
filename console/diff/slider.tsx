// One slider for both tasks. A mark on the slider shows where the tasks begin to differ.
import { TimeSlider } from '../task/time-slider.tsx'
import { count as number } from '../ui/time.tsx'
import type { Comparison } from './comparison.ts'

/** Where on the slider a moment is, as a share of its length. */
const shareOf = (moment: number, of: number): number => (of <= 1 ? 0 : (moment - 1) / (of - 1))

export const DiffSlider = ({ of }: { of: Comparison }) => {
  const [moment, length, differsAt] = [of.count.value, of.length.value, of.differsAt.value]
  const isPast = differsAt !== undefined && moment >= differsAt
  const words = differsAt === undefined ? '' : isPast ? ', where they differ' : ', where they are the same'
  const toDifference = () => {
    if (differsAt !== undefined) of.go(differsAt)
  }
  return (
    <TimeSlider
      of={of}
      length={length}
      label="Event of both tasks"
      text={`event ${moment - 1}${words}`}
      keys={{ d: toDifference }}
      mark={
        differsAt !== undefined && (
          <span
            class="mark"
            title={`They begin to differ at event ${differsAt - 1}`}
            style={{ '--share': String(shareOf(differsAt, length)) }}
          />
        )
      }
      after={
        <button
          type="button"
          title="Where the tasks begin to differ (d)"
          disabled={differsAt === undefined}
          onClick={toDifference}
        >
          First difference
        </button>
      }
    >
      <span>
        event <b>{number(Math.max(0, moment - 1))}</b> of {number(Math.max(0, length - 1))}, of both tasks
      </span>
      {differsAt !== undefined && (
        <span>
          {isPast
            ? 'after the first difference'
            : `${number(differsAt - moment)} before the first difference`}
        </span>
      )}
    </TimeSlider>
  )
}
