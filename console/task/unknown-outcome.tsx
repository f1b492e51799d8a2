// A call whose outcome nobody knows: it runs again, or somebody gives its result.
import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { at } from '../api/api.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { bound } from '../ui/bound.ts'
import { Problem } from '../ui/notice.tsx'
import type { TaskHistory } from './history.ts'

export const UnknownOutcome = ({
  name,
  callId,
  history,
}: {
  name: string
  callId: string
  history: TaskHistory
}) => {
  const text = useMemo(() => signal('The call has run.'), [callId])
  const { busy, error, run } = useMemo(createAction, [])
  const again = () =>
    run(async () => {
      await api.send('POST', `/tasks${at(history.id)}/resume`)
      history.refresh()
    })
  const give = () =>
    run(async () => {
      const tool_results = [{ call_id: callId, message_content: text.value }]
      await api.send('POST', `/tasks${at(history.id)}/input`, { tool_results })
      history.refresh()
    })
  return (
    <form
      class="call-answer"
      aria-label="Outcome unknown"
      onSubmit={event => {
        event.preventDefault()
        void give()
      }}
    >
      <h3>Did {name} run?</h3>
      <p class="hint">The server stopped while the call ran, so the log has its intent and no result.</p>
      <button type="button" class="primary" disabled={busy.value} onClick={() => void again()}>
        It did not: run it again
      </button>
      <label>
        <span>It did, with this result</span>
        <textarea rows={2} required {...bound(text)} />
      </label>
      <button type="submit" disabled={busy.value}>
        Use this result
      </button>
      <Problem text={error.value} />
    </form>
  )
}
