// One slider for both tasks. A mark on it shows where they begin to differ.
import { useKeys } from '../ui/keys.tsx'
import { count as number } from '../ui/time.tsx'
import type { Comparison } from './comparison.ts'

/** Where on the slider a moment is, as a share of its length. */
const shareOf = (moment: number, of: number): number => (of <= 1 ? 0 : (moment - 1) / (of - 1))

const Buttons = ({ of }: { of: Comparison }) => {
  const at = of.differsAt.value
  return (
    <fieldset class="steps">
      <legend class="unseen">Move both tasks</legend>
      <button type="button" aria-label="One event back" title="One event back (←)" onClick={() => of.by(-1)}>
        ←
      </button>
      <button type="button" aria-label="One event on" title="One event on (→)" onClick={() => of.by(1)}>
        →
      </button>
      <button
        type="button"
        title="Where the tasks begin to differ (d)"
        disabled={at === undefined}
        onClick={() => of.go(at)}
      >
        First difference
      </button>
    </fieldset>
  )
}

export const DiffSlider = ({ of }: { of: Comparison }) => {
  const [moment, length, differsAt] = [of.count.value, of.length.value, of.differsAt.value]
  const isPast = differsAt !== undefined && moment >= differsAt
  const words = differsAt === undefined ? '' : isPast ? ', where they differ' : ', where they are the same'
  useKeys({
    ArrowLeft: () => of.by(-1),
    ArrowRight: () => of.by(1),
    'Shift+ArrowLeft': () => of.by(-10),
    'Shift+ArrowRight': () => of.by(10),
    Home: () => of.go(1),
    End: () => of.go(undefined),
    l: () => of.go(undefined),
    d: () => {
      if (of.differsAt.peek() !== undefined) of.go(of.differsAt.peek())
    },
  })
  return (
    <section class="slider panel" aria-label="Time">
      <div class="slider-line">
        <span class="track">
          <input
            type="range"
            aria-label="Event of both tasks"
            aria-valuetext={`event ${moment - 1}${words}`}
            min={1}
            max={Math.max(1, length)}
            value={moment}
            onInput={input => of.go(Number(input.currentTarget.value))}
          />
          {differsAt !== undefined && (
            <span
              class="mark"
              title={`They begin to differ at event ${differsAt - 1}`}
              style={{ '--share': String(shareOf(differsAt, length)) }}
            />
          )}
        </span>
        <Buttons of={of} />
        <button
          type="button"
          class="live"
          aria-pressed={of.isLive.value}
          title="Follow the present (l)"
          onClick={() => of.go(undefined)}
        >
          Present
        </button>
      </div>
      <div class="slider-facts">
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
      </div>
    </section>
  )
}
