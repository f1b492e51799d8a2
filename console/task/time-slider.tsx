// A slider over the moments of a history, with the keys that move it. Each view adds its own buttons and facts.
import type { ComponentChildren } from 'preact'
import { useKeys } from '../ui/keys.tsx'
import type { Chosen } from './chosen.ts'
import { StepPair } from './step-buttons.tsx'

/**
 * `label`: what a moment is. `text`: the moment in words. `mark`: what is drawn over the slider. `before`, `after`: the
 * buttons beside it. `keys`: further keys. `children`: facts below it.
 */
type Props = {
  of: Pick<Chosen, 'count' | 'go' | 'by' | 'isLive'>
  length: number
  label: string
  text: string
  keys: Record<string, () => void>
  mark?: ComponentChildren
  before?: ComponentChildren
  after?: ComponentChildren
  children: ComponentChildren
}

export const TimeSlider = ({ of, length, label, text, keys, mark, before, after, children }: Props) => {
  const toPresent = () => of.go(undefined)
  useKeys({
    ArrowLeft: () => of.by(-1),
    ArrowRight: () => of.by(1),
    'Shift+ArrowLeft': () => of.by(-10),
    'Shift+ArrowRight': () => of.by(10),
    Home: () => of.go(1),
    End: toPresent,
    l: toPresent,
    ...keys,
  })
  return (
    <section class="slider panel" aria-label="Time">
      <div class="slider-line">
        {before}
        <span class="track">
          <input
            type="range"
            aria-label={label}
            aria-valuetext={text}
            min={1}
            max={Math.max(1, length)}
            value={of.count.value}
            onInput={input => of.go(Number(input.currentTarget.value))}
          />
          {mark}
        </span>
        <fieldset class="steps">
          <legend class="unseen">Move by events</legend>
          <StepPair
            what="event"
            before={{ label: 'One event back', title: 'One event back (←)', go: () => of.by(-1) }}
            next={{ label: 'One event on', title: 'One event on (→)', go: () => of.by(1) }}
          />
          {after}
        </fieldset>
        <button
          type="button"
          class="live"
          aria-pressed={of.isLive.value}
          title="Follow the present (l)"
          onClick={toPresent}
        >
          Present
        </button>
      </div>
      <div class="slider-facts">{children}</div>
    </section>
  )
}
