import type { Timers } from '../contract/ports.ts'

/** Wakes a loop that rests. A ring that comes while the loop does not rest ends its next rest at once. */
export const createBell = (timers: Timers) => {
  let rang = false
  let onRing = () => {}
  return {
    ring(): void {
      rang = true
      onRing()
    },
    /** Forgets a ring that was kept. */
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
