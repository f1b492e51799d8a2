// A button that does something on the server, after a question when it cannot be undone.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { createAction } from './action.ts'
import { Dialog } from './dialog.tsx'
import { Problem } from './notice.tsx'

/** `sure`: the question, what follows from a yes, and the word for no. */
type Props = {
  label: string
  kind?: 'primary' | 'danger' | 'quiet'
  sure?: { title: string; no?: string; children: ComponentChildren }
  act: () => Promise<unknown>
}

export const Act = ({ label, kind, sure, act }: Props) => {
  const isAsked = useSignal(false)
  const { busy, error, run } = useMemo(createAction, [])
  const close = () => {
    isAsked.value = false
  }
  const start = () => run(act).finally(close)
  return (
    <span class="act">
      <button
        type="button"
        class={kind ?? ''}
        disabled={busy.value}
        onClick={() => {
          if (sure === undefined) void start()
          else isAsked.value = true
        }}
      >
        {label}
      </button>
      <Problem text={error.value} />
      {sure !== undefined && isAsked.value && (
        <Dialog title={sure.title} close={close}>
          {sure.children}
          <form method="dialog" class="answers">
            <button type="submit">{sure.no ?? 'Keep it'}</button>
            <button type="button" class="danger" disabled={busy.value} onClick={() => void start()}>
              {label}
            </button>
          </form>
        </Dialog>
      )}
    </span>
  )
}
