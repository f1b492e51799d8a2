// What the tests of forks have in common.
import type { Test } from 'tap'
import { read } from '../support/http.ts'
import type { Api } from '../support/server.ts'
import type { Frame } from '../support/sse.ts'
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

/**
 * The numbers of the frames that end an item. At each of them a fork has the whole item, whether the step gave it at
 * once or, on a busy machine, in pieces.
 */
export const endsOf = (frames: Frame[]): number[] =>
  frames.filter(({ type }) => type === 'task.output_item.done').map(frame => frame.sequence_number)

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

/**
 * Checks that a fork at `at` did the same work again. On a busy machine a step may take longer than it took in the task,
 * and give its text in other pieces, so frames of the fork itself may differ; test/actors/fork-again.test.ts holds them
 * equal on a clock of its own.
 */
export const isSameWork = (t: Test, { items, first_divergence }: Difference, at: number): void => {
  t.same(
    items.filter(({ same }) => !same),
    [],
    'the same work, done again',
  )
  t.ok(first_divergence === null || first_divergence > at, 'after the same past')
}
