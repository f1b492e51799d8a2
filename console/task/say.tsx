// Says something to the agent of a task that has not ended.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { at } from '../api/client.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { bound } from '../ui/bound.ts'
import { Problem } from '../ui/notice.tsx'
import type { TaskHistory } from './history.ts'

export const Say = ({ history }: { history: TaskHistory }) => {
  const text = useSignal('')
  const { busy, error, run } = useMemo(createAction, [])
  const send = () =>
    run(async () => {
      await api.send('POST', `/tasks${at(history.id)}/messages`, { content: text.value })
      text.value = ''
      history.refresh()
    })
  return (
    <form
      class="say"
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      <label>
        <span>Say something to the agent</span>
        <input {...bound(text)} placeholder="Its next step sees it" />
      </label>
      <button type="submit" disabled={busy.value || text.value.trim() === ''}>
        Send
      </button>
      <Problem text={error.value} />
    </form>
  )
}
