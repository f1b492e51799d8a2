// A call that waits for an approval: somebody lets it run, lets it run with other arguments, or refuses it.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { readJson } from '../../src/contract/json/exact-json.ts'
import type { PendingCallItem } from '../../src/contract/wire.ts'
import { at } from '../api/api.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { bound } from '../ui/bound.ts'
import { Problem } from '../ui/notice.tsx'
import { readable } from '../ui/readable.ts'
import type { TaskHistory } from './history.ts'

const objectOf = (text: string): object => {
  try {
    const value: unknown = readJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  throw new Error('The arguments must be a JSON object.')
}

export const Approval = ({ call, history }: { call: PendingCallItem; history: TaskHistory }) => {
  const isEdited = useSignal(false)
  const text = useSignal(readable(call.arguments))
  const reason = useSignal('')
  const { busy, error, run } = useMemo(createAction, [])
  const decide = (decision: 'approve' | 'refuse') =>
    run(async () => {
      await api.send('POST', `/tasks${at(history.id)}/approvals`, {
        call_id: call.call_id,
        decision,
        ...(decision === 'approve' && isEdited.value ? { arguments: objectOf(text.value) } : {}),
        ...(reason.value === '' ? {} : { reason: reason.value }),
      })
      history.refresh()
    })
  return (
    <form
      class="call-answer"
      aria-label={`Approve ${call.name}`}
      onSubmit={event => {
        event.preventDefault()
        void decide('approve')
      }}
    >
      <h3>May {call.name} run?</h3>
      {isEdited.value ? (
        <label>
          <span>Arguments</span>
          <textarea rows={6} required {...bound(text)} />
        </label>
      ) : (
        <pre>{text.value}</pre>
      )}
      <label>
        <span>Reason (the agent reads it if you refuse)</span>
        <input {...bound(reason)} />
      </label>
      <p class="answers">
        <button type="submit" class="primary" disabled={busy.value}>
          {isEdited.value ? 'Approve with these arguments' : 'Approve'}
        </button>
        {!isEdited.value && (
          <button
            type="button"
            disabled={busy.value}
            onClick={() => {
              isEdited.value = true
            }}
          >
            Edit
          </button>
        )}
        <button type="button" disabled={busy.value} onClick={() => void decide('refuse')}>
          Refuse
        </button>
      </p>
      <Problem text={error.value} />
    </form>
  )
}
