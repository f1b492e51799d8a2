// Says something to the agent of a task that has not ended.
import { useSignal } from '@preact/signals'
import { at } from '../api/api.ts'
import { api } from '../api/session.ts'
import { bound } from '../ui/bound.ts'
import { Form, FormProblem, Submit } from '../ui/form.tsx'
import type { TaskHistory } from './history.ts'

export const Say = ({ history }: { history: TaskHistory }) => {
  const text = useSignal('')
  const send = async () => {
    await api.send('POST', `/tasks${at(history.id)}/messages`, { content: text.value })
    text.value = ''
    history.refresh()
  }
  return (
    <Form class="say" send={send}>
      <label>
        <span>Say something to the agent</span>
        <input {...bound(text)} placeholder="Say something to the agent" />
      </label>
      <Submit label="Send" disabled={text.value.trim() === ''} />
      <FormProblem />
    </Form>
  )
}
