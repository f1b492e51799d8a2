// Where in its history a task is shown: after a number of events, or at the present, which it then follows. The address of
// the page says so too, a moment later.
import { batch, computed, signal } from '@preact/signals'
import { isMove } from '../../src/contract/task-state.ts'
import { place, setQuery } from '../api/router.ts'
import type { TaskHistory } from './history.ts'
import { isTrouble } from './words.ts'

/** Milliseconds from the last move to the change of the address. Browsers allow few changes. */
const addressMs = 250
/** Milliseconds without a move after which the position rests. */
const restMs = 140

export const createPosition = ({ past, length }: TaskHistory) => {
  const given = place.peek().query.get('event')
  const isNumber = given !== null && /^\d{1,9}$/.test(given)
  /** The number of events that count; undefined: all, also those that come. */
  const chosen = signal<number | undefined>(isNumber ? Number(given) + 1 : undefined)
  const count = computed(() => Math.max(0, Math.min(chosen.value ?? length.value, length.value)))
  /** The view at the position. A new object whenever it changes. */
  const view = computed(() => ({ task: past.viewAfter(count.value), count: count.value, of: length.value }))

  /** Whether the position has just moved, as it does while the slider is dragged. */
  const isMoving = signal(false)
  let restedAt = view.peek()
  /** The view where the position rests. What takes long to draw shows this one. */
  const rested = computed(() => {
    const now = view.value
    if (!isMoving.value) restedAt = now
    return restedAt
  })

  let timer: ReturnType<typeof setTimeout> | undefined
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
    clearTimeout(timer)
    timer = setTimeout(() => {
      const at = chosen.peek()
      setQuery({ event: at === undefined ? undefined : String(at - 1) })
    }, addressMs)
  }
  /** Goes to the next event with a property, or to the one before. */
  const seek = (fits: (event: (typeof past.events)[number]) => boolean, step: 1 | -1): void => {
    for (let n = count.peek() - 1 + step; n >= 0 && n < past.events.length; n += step) {
      const event = past.events[n]
      if (event !== undefined && fits(event)) {
        go(n + 1)
        return
      }
    }
  }
  return {
    count,
    view,
    rested,
    isMoving,
    isLive: computed(() => chosen.value === undefined),
    go,
    by: (events: number) => go(count.peek() + events),
    nextMove: (step: 1 | -1) => seek(({ type }) => isMove(type), step),
    nextTrouble: () => seek(isTrouble, 1),
    close: () => {
      clearTimeout(timer)
      clearTimeout(rest)
    },
  }
}
export type Position = ReturnType<typeof createPosition>
