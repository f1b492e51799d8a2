// Cancels many tasks.
import { at } from '../api/api.ts'
import { api } from '../api/session.ts'

/** How many cancels are under way at a time. */
const together = 4

/** Cancels the tasks, a few at a time. Resolves to the number of tasks that could not be canceled. */
export const cancelAll = async (ids: readonly string[]): Promise<number> => {
  const left = [...ids]
  let failed = 0
  const work = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop())
      await api.send('POST', `/tasks${at(id)}/cancel`).catch(() => failed++)
  }
  await Promise.all(Array.from({ length: together }, work))
  return failed
}
