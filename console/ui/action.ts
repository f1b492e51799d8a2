// Keeps the state of a request that a button starts: whether it runs, and why it failed.
import { batch, signal } from '@preact/signals'
import { ApiError, type FieldProblem } from '../api/api-error.ts'

export const createAction = () => {
  const busy = signal(false)
  const error = signal<string | undefined>(undefined)
  /** The problems that the server finds in single fields. */
  const problems = signal<readonly FieldProblem[]>([])
  return {
    busy,
    error,
    problems,
    /** Resolves to the result, or to undefined when it failed. */
    async run<T>(work: () => Promise<T>): Promise<T | undefined> {
      batch(() => {
        busy.value = true
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
        busy.value = false
      }
    },
  }
}
export type Action = ReturnType<typeof createAction>
