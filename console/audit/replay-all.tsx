// Replays every task that the token may read: the server folds the events of each task again, and compares the result
// with the task object that it answers.

import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Replay } from '../../src/contract/responses.ts'
import { at, queryOf } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { CutId } from '../ui/cut-id.tsx'
import { Problem } from '../ui/notice.tsx'
import { count } from '../ui/time.tsx'

// Replays every task that the token may read, a few at a time, and counts the results.

/** How many replays are under way at a time, and how many tasks one answer lists. */
const together = 2
const perPage = 100

const createReplays = () => {
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
type Replays = ReturnType<typeof createReplays>

/** At most this many of the tasks whose replay differs are named. */
const mostNamed = 20

const Result = ({ done, events, different, isRunning }: Replays) => {
  if (done.value === 0 || isRunning.value) return null
  const all = `${count(done.value)} tasks, ${count(events.value)} events`
  return different.value.length === 0 ? (
    <output class="proven">{all}: every replay gives what the server answers.</output>
  ) : (
    <div role="alert">
      <p class="problem">
        {all}: {count(different.value.length)} differ.
      </p>
      <ul class="links">
        {different.value.slice(0, mostNamed).map(id => (
          <li key={id}>
            <a href={hrefOf(`/tasks${at(id)}`)}>
              <CutId id={id} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

export const ReplayAll = () => {
  const replays = useMemo(createReplays, [])
  useEffect(() => replays.stop, [replays])
  const { total, done, isRunning, error, start, stop } = replays
  return (
    <section class="panel side-part fields-below" aria-label="Replay all tasks">
      <h2>Replay all tasks</h2>
      <p class="hint">Folds the events of every task again. No model and no tool runs.</p>
      {isRunning.value && (
        <>
          <progress aria-label="Replayed tasks" value={done.value} max={Math.max(1, total.value)} />
          <small>
            {count(done.value)} of {count(total.value)}
          </small>
        </>
      )}
      <button type="button" onClick={isRunning.value ? stop : () => void start()}>
        {isRunning.value ? 'Stop' : 'Replay all'}
      </button>
      <Result {...replays} />
      <Problem text={error.value} />
    </section>
  )
}
