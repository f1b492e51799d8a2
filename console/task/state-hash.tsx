// The hash of the task object at the position, computed here, and compared with the server's replay when somebody asks.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { canonical } from '../../src/contract/canonical.ts'
import { taskOf } from '../../src/history/task-object.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { at } from '../api/client.ts'
import { api } from '../api/session.ts'
import { hashOfText } from '../proof/sha256.ts'
import { createAction } from '../ui/action.ts'
import { Problem } from '../ui/notice.tsx'
import type { TaskHistory } from './history.ts'
import type { Position } from './position.ts'

/** The hash is computed when the position has rested for so long, in milliseconds. */
const restMs = 120

/** SHA-256 of the task object as canonical JSON, as the server's replay computes it. */
export const stateHashOf = (view: ShownTask): string => hashOfText(canonical(taskOf(view)))

type Found = { count: number; own: string; server?: string }

export const StateHash = ({ history, position }: { history: TaskHistory; position: Position }) => {
  const { task, count } = position.view.value
  const isMoving = position.isMoving.value
  const found = useSignal<Found | undefined>(undefined)
  const { busy, error, run } = useMemo(createAction, [])
  useEffect(() => {
    if (task.created === undefined || isMoving) return
    const timer = setTimeout(() => {
      const view = position.view.peek()
      found.value = { count: view.count, own: stateHashOf(view.task) }
    }, restMs)
    return () => clearTimeout(timer)
  }, [task, count, isMoving])
  const now = found.value?.count === count ? found.value : undefined
  const compare = () =>
    run(async () => {
      const event = history.past.events[count - 1]
      if (event === undefined || now === undefined) return
      const { state_hash } = await api.send<{ state_hash: string }>(
        'POST',
        `/tasks${at(history.id)}/replay?at=position:${event.position}`,
      )
      found.value = { ...now, server: state_hash }
    })
  const verdict = now?.server === undefined ? '' : now.server === now.own ? ' equal' : ' different'
  return (
    <span class={`hash${verdict}`}>
      state <code title={now?.own}>{now === undefined ? '…' : now.own.slice(0, 12)}</code>
      {verdict === '' ? (
        <button
          type="button"
          class="quiet"
          disabled={busy.value || now === undefined}
          onClick={() => void compare()}
        >
          Compare with the server
        </button>
      ) : (
        <b role="status">
          {verdict === ' equal' ? '✓ the server’s replay gives the same' : '✕ the server’s replay differs'}
        </b>
      )}
      <Problem text={error.value} />
    </span>
  )
}
