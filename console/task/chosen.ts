// A moment that a person chooses from a growing number of moments. Without a choice, it is the newest moment. A little
// later, the address of the page names the choice, too.
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import { place, setQuery } from '../api/router.ts'

/** Milliseconds from the last move to the change of the address. Browsers limit how often it may change. */
const addressMs = 250
/** The moment rests when it has not moved for this many milliseconds. */
const restMs = 140

/** `length`: the number of moments. The address holds the chosen one, counted from 0, as `event`. */
export const createChosen = (length: ReadonlySignal<number>) => {
  const given = place.peek().query.get('event')
  const isNumber = given !== null && /^\d{1,9}$/.test(given)
  /** The number of moments up to the chosen one; undefined: all, also future ones. */
  const chosen = signal<number | undefined>(isNumber ? Number(given) + 1 : undefined)
  const count = computed(() => Math.max(0, Math.min(chosen.value ?? length.value, length.value)))
  /** Whether the moment has just changed, as it does while the slider is dragged. */
  const isMoving = signal(false)
  let address: ReturnType<typeof setTimeout> | undefined
  let rest: ReturnType<typeof setTimeout> | undefined
  const go = (to: number | undefined): void => {
    batch(() => {
      isMoving.value = to !== undefined
      chosen.value = to === undefined ? undefined : Math.max(1, Math.min(to, length.peek()))
    })
    clearTimeout(rest)
    rest = setTimeout(() => {
      isMoving.value = false
    }, restMs)
    clearTimeout(address)
    address = setTimeout(() => {
      const at = chosen.peek()
      setQuery({ event: at === undefined ? undefined : String(at - 1) })
    }, addressMs)
  }
  return {
    count,
    isMoving,
    isLive: computed(() => chosen.value === undefined),
    go,
    by: (moments: number) => go(count.peek() + moments),
    close: () => {
      clearTimeout(address)
      clearTimeout(rest)
    },
  }
}
export type Chosen = ReturnType<typeof createChosen>
