// Shows the earlier tasks of a task's session above its conversation, on request. They are in the agent's context.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { ShownTask } from '../../src/history/task-view.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { Problem } from '../ui/notice.tsx'
import { createSessionReader, type Turns, turnsPerPage } from './read-session.ts'
import { TurnOf } from './turn.tsx'

export const Earlier = ({ of }: { of: NonNullable<ShownTask['created']> }) => {
  const found = useSignal<Turns | undefined>(undefined)
  const { busy, error, run } = useMemo(createAction, [])
  const read = useMemo(() => {
    const { session_id: id, user_id: user, task_id: before } = of
    return createSessionReader(api, { id, user, before })
  }, [of.task_id])
  const { turns = [], more = true } = found.value ?? {}
  const show = () =>
    run(async () => {
      found.value = await read(turns.length + turnsPerPage, new AbortController().signal)
    })
  return (
    <section class="earlier" aria-label="Earlier tasks of the session">
      {more && (
        <button type="button" class="link" disabled={busy.value} onClick={() => void show()}>
          Show earlier tasks of the session
        </button>
      )}
      <Problem text={error.value} />
      {turns.map(turn => (
        <TurnOf key={turn.task.id} turn={turn} />
      ))}
    </section>
  )
}
