// A field in which somebody says something. Enter sends the text, Shift and Enter begin a new line.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { bound } from '../ui/bound.ts'
import { Form, FormProblem, Submit } from '../ui/form.tsx'

type Props = { label: string; say: (text: string) => Promise<unknown>; children?: ComponentChildren }

export const Say = ({ label, say, children }: Props) => {
  const text = useSignal('')
  const send = async () => {
    if (text.value.trim() === '') return
    await say(text.value)
    text.value = ''
  }
  return (
    <Form class="say-box panel" label={label} send={send}>
      <label>
        <span>{label}</span>
        <textarea
          rows={2}
          {...bound(text)}
          onKeyDown={event => {
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            event.currentTarget.form?.requestSubmit()
          }}
        />
      </label>
      <div class="start-line">
        {children}
        <Submit label="Send" kind="primary" disabled={text.value.trim() === ''} />
        <FormProblem />
      </div>
    </Form>
  )
}
