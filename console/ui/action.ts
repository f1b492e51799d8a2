// A request that a button starts: whether it runs, and why it failed.
import { signal } from '@preact/signals'

export const createAction = () => {
  const busy = signal(false)
  const error = signal<string | undefined>(undefined)
  return {
    busy,
    error,
    /** Resolves to the result, or to undefined when it failed. */
    async run<T>(work: () => Promise<T>): Promise<T | undefined> {
      busy.value = true
      error.value = undefined
      try {
        return await work()
      } catch (failure) {
        error.value = failure instanceof Error ? failure.message : String(failure)
        return undefined
      } finally {
        busy.value = false
      }
    },
  }
}
export type Action = ReturnType<typeof createAction>
