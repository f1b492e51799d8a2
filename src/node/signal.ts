// A signal that something has changed, for a loop that then looks at everything that may have changed.
export const createSignal = () => {
  let waiting: (() => void)[] = []
  let isRaised = false
  return {
    /** Wakes the loop that waits, or the next one that will wait. */
    raise(): void {
      isRaised = true
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    /** Resolves as soon as the signal was raised after the last `wait` ended. */
    async wait(): Promise<void> {
      if (!isRaised) await new Promise<void>(resolve => void waiting.push(resolve))
      isRaised = false
    },
  }
}
export type Signal = ReturnType<typeof createSignal>
