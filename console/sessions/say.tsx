// A field in which somebody says something. Enter sends it, Shift and Enter begin a new line.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { createAction } from '../ui/action.ts'
import { bound } from '../ui/bound.ts'
import { Problem } from '../ui/notice.tsx'

type Props = { label: string; say: (text: string) => Promise<unknown>; children?: ComponentChildren }

export const Say = ({ label, say, children }: Props) => {
  const text = useSignal('')
  const { busy, error, run } = useMemo(createAction, [])
  const send = () => {
    if (text.value.trim() === '' || busy.value) return
    void run(async () => {
      await say(text.value)
      text.value = ''
    })
  }
  return (
    <form
      class="say-box panel"
      aria-label={label}
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <label>
        <span>{label}</span>
        <textarea
          rows={2}
          {...bound(text)}
          onKeyDown={event => {
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            send()
          }}
        />
      </label>
      <div class="start-line">
        {children}
        <button type="submit" class="primary" disabled={busy.value || text.value.trim() === ''}>
          Send
        </button>
        <Problem text={error.value} />
      </div>
    </form>
  )
}
