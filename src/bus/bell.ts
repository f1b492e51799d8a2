import type { Timers } from '../contract/ports.ts'

/** Wakes a loop that rests. If the loop does not rest when the bell rings, the next rest of the loop ends at once. */
export const createBell = (timers: Timers) => {
  let rang = false
  let onRing = () => {}
  return {
    ring(): void {
      rang = true
      onRing()
    },
    /** Forgets a ring that came while the loop did not rest. */
    silence(): void {
      rang = false
    },
    /** Resolves at the next ring, or after `ms` milliseconds. */
    async rest(ms?: number): Promise<void> {
      if (!rang) {
        await new Promise<void>(resolve => {
          const cancel = ms === undefined ? () => {} : timers.after(ms, resolve)
          onRing = () => {
            cancel()
            resolve()
          }
        })
      }
      rang = false
    },
  }
}
export type Bell = ReturnType<typeof createBell>
