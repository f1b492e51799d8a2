// Keeps the state of a request that a button starts: whether it runs, and why it failed. While the server is away, no such
// button can be pressed.
import { batch, computed, signal } from '@preact/signals'
import { ApiError, type FieldProblem } from '../api/api-error.ts'
import { isAway } from '../api/reach.ts'

export const createAction = () => {
  const isRunning = signal(false)
  const error = signal<string | undefined>(undefined)
  /** The problems that the server finds in single fields. */
  const problems = signal<readonly FieldProblem[]>([])
  return {
    /** Whether the button must wait: for this action, or for the server. */
    busy: computed(() => isRunning.value || isAway.value),
    error,
    problems,
    /** Resolves to the result, or to undefined when it failed. */
    async run<T>(work: () => Promise<T>): Promise<T | undefined> {
      batch(() => {
        isRunning.value = true
        error.value = undefined
        problems.value = []
      })
      try {
        return await work()
      } catch (failure) {
        batch(() => {
          error.value = failure instanceof Error ? failure.message : String(failure)
          problems.value = failure instanceof ApiError ? failure.problems : []
        })
        return undefined
      } finally {
        isRunning.value = false
      }
    },
  }
}
export type Action = ReturnType<typeof createAction>
