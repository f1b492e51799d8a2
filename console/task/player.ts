// Plays a history: at the speed at which it happened, faster, or as fast as it can be shown.
import { signal } from '@preact/signals'
import { millisOf } from '../../src/history/task/millis.ts'
import type { KnownHistory } from './growing.ts'
import type { Position } from './position.ts'

export type Speed = 1 | 10 | 'max'
export const speeds: readonly Speed[] = [1, 10, 'max']

/** A longer pause in the history counts as a pause of this many milliseconds when the history is played. */
const longestPause = 1_500
/** At the greatest speed, the page is drawn this many times for a whole history. */
const drawings = 240

export const createPlayer = ({ past, length }: KnownHistory, position: Position) => {
  const isPlaying = signal(false)
  const speed = signal<Speed>(1)
  let frame = 0

  /** The milliseconds from the event before an event to this event; at most `longestPause`. */
  const gapBefore = (n: number): number => {
    const [before, event] = [past.events[n - 1], past.events[n]]
    if (before === undefined || event === undefined) return 0
    return Math.min(longestPause, millisOf(event.header.time) - millisOf(before.header.time))
  }
  let spent = 0
  let last = 0
  const advance = (now: number): void => {
    if (!isPlaying.value) return
    const at = position.count.peek()
    let to = at
    if (speed.value === 'max') to = at + Math.max(1, Math.ceil(length.peek() / drawings))
    else {
      spent += (now - last) * speed.value
      for (; to < length.peek() && gapBefore(to) <= spent; to++) spent -= gapBefore(to)
    }
    last = now
    if (to >= length.peek()) {
      position.go(undefined)
      isPlaying.value = false
      return
    }
    if (to !== at) position.go(to)
    frame = requestAnimationFrame(advance)
  }
  const stop = () => {
    isPlaying.value = false
    cancelAnimationFrame(frame)
  }
  return {
    isPlaying,
    speed,
    toggle(): void {
      if (isPlaying.value) {
        stop()
        return
      }
      if (position.count.peek() >= length.peek()) position.go(1)
      isPlaying.value = true
      spent = 0
      last = performance.now()
      frame = requestAnimationFrame(advance)
    },
    stop,
  }
}
export type Player = ReturnType<typeof createPlayer>
