import type { Timers } from '../contract/ports.ts'

/** A wait that can be ended early. Then the function that should follow is not called. */
export const createPause = ({ after }: Timers) => {
  let cancel: (() => void) | undefined
  return {
    isOn: (): boolean => cancel !== undefined,
    begin(ms: number, then: () => void): void {
      cancel?.()
      cancel = after(ms, () => {
        cancel = undefined
        then()
      })
    },
    end(): void {
      cancel?.()
      cancel = undefined
    },
  }
}
