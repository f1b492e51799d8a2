// The position: the point of its history at which a task is shown. It is after some event, or always after the newest.
import { computed } from '@preact/signals'
import { isMove } from '../../src/contract/charts/task-state.ts'
import { createChosen } from './chosen.ts'
import type { KnownHistory } from './growing.ts'
import { isTrouble } from './words.ts'

export const createPosition = ({ past, length, isWhole }: KnownHistory) => {
  const chosen = createChosen(length)
  const { count, go } = chosen
  /** Whether the view changes many times a second: the position is dragged, or the history is still read. */
  const isMoving = computed(() => chosen.isMoving.value || !isWhole.value)
  /** The view at the position. A new object whenever it changes. */
  const view = computed(() => ({ task: past.viewAfter(count.value), count: count.value, of: length.value }))
  let restedAt = view.peek()
  /** The view at which the position last rested. Parts that take long to draw show this view. */
  const rested = computed(() => {
    const now = view.value
    if (!isMoving.value) restedAt = now
    return restedAt
  })

  /** Goes to the next event that fits; with the step -1, to the newest such event before. */
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
    ...chosen,
    isMoving,
    view,
    rested,
    nextMove: (step: 1 | -1) => seek(({ type }) => isMove(type), step),
    nextTrouble: () => seek(isTrouble, 1),
  }
}
export type Position = ReturnType<typeof createPosition>
