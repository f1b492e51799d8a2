// The hash of the task object at the position. On request, the hash that the server's replay gives is compared with it.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { at } from '../api/api.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { Problem } from '../ui/notice.tsx'
import type { TaskHistory } from './history.ts'
import type { Position } from './position.ts'
import { StateHash, useStateHash } from './state-hash.tsx'

export const ComparedHash = ({ history, position }: { history: TaskHistory; position: Position }) => {
  const hash = useStateHash(position)
  const answer = useSignal<{ of: string; hash: string } | undefined>(undefined)
  const { busy, error, run } = useMemo(createAction, [])
  const compare = () =>
    run(async () => {
      const event = history.past.events[position.count.peek() - 1]
      if (event === undefined || hash === undefined) return
      const path = `/tasks${at(history.id)}/replay?at=position:${event.position}`
      const { state_hash } = await api.send<{ state_hash: string }>('POST', path)
      answer.value = { of: hash, hash: state_hash }
    })
  const server = hash !== undefined && answer.value?.of === hash ? answer.value.hash : undefined
  const verdict = server === undefined ? undefined : server === hash ? 'equal' : 'different'
  return (
    <StateHash hash={hash} verdict={verdict}>
      {verdict === undefined ? (
        <button
          type="button"
          class="quiet"
          disabled={busy.value || hash === undefined}
          onClick={() => void compare()}
        >
          Compare with the server
        </button>
      ) : (
        <b role="status">
          {verdict === 'equal' ? '✓ the server’s replay gives the same' : '✕ the server’s replay differs'}
        </b>
      )}
      <Problem text={error.value} />
    </StateHash>
  )
}
