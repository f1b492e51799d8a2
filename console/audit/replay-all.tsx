// Replays every task that the token may read: the server folds the events of each task again, and compares the result
// with the task object that it answers.
import { useEffect, useMemo } from 'preact/hooks'
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { CutId } from '../ui/cut-id.tsx'
import { Problem } from '../ui/notice.tsx'
import { count } from '../ui/time.tsx'
import { createReplays, type Replays } from './replays.ts'

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
