// A form that makes something. It is open from the start when the address says so, so that it can be linked.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { place, setQuery } from '../api/router.ts'
import { createAction } from './action.ts'
import { Problem } from './notice.tsx'

type Props = { title: string; make: () => Promise<unknown>; children: ComponentChildren }

export const New = ({ title, make, children }: Props) => {
  const { busy, error, run } = useMemo(createAction, [])
  const isOpen = place.value.query.has('new')
  if (!isOpen)
    return (
      <button type="button" class="primary" onClick={() => setQuery({ new: 'yes' })}>
        {title}
      </button>
    )
  const close = () => setQuery({ new: undefined })
  return (
    <form
      class="new panel"
      aria-label={title}
      onSubmit={event => {
        event.preventDefault()
        void run(make)
      }}
    >
      <h2>{title}</h2>
      {children}
      <Problem text={error.value} />
      <div class="answers">
        <button type="button" onClick={close}>
          Close
        </button>
        <button type="submit" class="primary" disabled={busy.value}>
          {title}
        </button>
      </div>
    </form>
  )
}
