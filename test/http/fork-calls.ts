// What the tests of forks have in common.
import { read } from '../support/http.ts'
import type { Api } from '../support/server.ts'
import type { AgentTask } from './agent-tasks.ts'

type Pair<T> = { left: T | null; right: T | null; same: boolean }
export type Difference = {
  first_divergence: number | null
  items: Pair<object>[]
  facts: Pair<{ type: string; revision: number }>[]
}

/** A frame or an item without its ids and times. */
export const plain = (value: unknown): string =>
  JSON.stringify(value, (key, one) =>
    /^(id|.*_id|timestamp|created_at|expires_at|forked_from)$/.test(key) ? undefined : one,
  )

export const forksOf = (api: Api) => {
  const ask = (id: string, body: object, headers: Record<string, string> = {}) =>
    read(api('POST', `/tasks/${id}/fork`, body, headers))
  return {
    ask,
    async fork(id: string, body: object, headers: Record<string, string> = {}): Promise<AgentTask> {
      const { status, body: made, text } = await ask(id, body, headers)
      if (status !== 200) throw new Error(`${status} ${text}`)
      return made as unknown as AgentTask
    },
    diff: async (left: string, right: string): Promise<Difference> =>
      (await read(api('GET', `/tasks/${left}/diff/${right}`))).body as unknown as Difference,
  }
}
