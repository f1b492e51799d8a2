// Replays every task that the token may read, a few at a time, and counts the results.
import { signal } from '@preact/signals'
import type { Replay } from '../../src/contract/responses.ts'
import { at, queryOf } from '../api/api.ts'
import { api } from '../api/session.ts'

/** How many replays are under way at a time, and how many tasks one answer lists. */
const together = 2
const perPage = 100

export const createReplays = () => {
  const total = signal(0)
  const done = signal(0)
  const events = signal(0)
  const different = signal<readonly string[]>([])
  const isRunning = signal(false)
  const error = signal<string | undefined>(undefined)
  let stopped = new AbortController()

  const replay = async (id: string) => {
    const found = await api.send<Replay>('POST', `/tasks${at(id)}/replay`, undefined, stopped.signal)
    events.value += found.events
    if (!found.matches) different.value = [...different.value, id]
    done.value++
  }
  const replayAll = async () => {
    const query = { include_subtasks: true, order: 'asc' }
    const counts = queryOf({ include_subtasks: true, fields: 'counts' })
    total.value = (await api.ask<{ total: number }>('GET', `/tasks${counts}`)).total
    for (let after: string | undefined; ; ) {
      const page = queryOf({ ...query, fields: 'summary', limit: perPage, starting_after: after })
      const tasks = await api.ask<{ id: string }[]>('GET', `/tasks${page}`, undefined, stopped.signal)
      const ids = tasks.map(({ id }) => id)
      after = ids.at(-1)
      const work = async () => {
        for (let id = ids.shift(); id !== undefined; id = ids.shift()) await replay(id)
      }
      await Promise.all(Array.from({ length: together }, work))
      if (tasks.length < perPage) return
    }
  }
  return {
    total,
    done,
    events,
    different,
    isRunning,
    error,
    async start() {
      stopped = new AbortController()
      done.value = 0
      events.value = 0
      different.value = []
      error.value = undefined
      isRunning.value = true
      await replayAll().catch((failure: Error) => {
        if (!stopped.signal.aborted) error.value = failure.message
      })
      isRunning.value = false
    },
    stop: () => stopped.abort(),
  }
}
export type Replays = ReturnType<typeof createReplays>
