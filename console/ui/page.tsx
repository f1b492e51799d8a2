// The frame of a view: its title, its buttons, and what it says while there is nothing to show.
import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { type ApiError, isUnreached } from '../api/api-error.ts'
import { hrefOf } from '../api/router.ts'
import { Failure, Loading, NotFound, Waiting } from './notice.tsx'
import '../style/views.css'

/** `above`: the view that leads to this view, such as its list. */
type Props = {
  title: string
  above?: { path: string; title: string }
  buttons?: ComponentChildren
  children: ComponentChildren
}

export const Page = ({ title, above, buttons, children }: Props) => {
  useEffect(() => {
    document.title = `${title.slice(0, 60)} · Reprise`
  }, [title])
  return (
    <main class="page">
      <header class="page-head">
        <div class="where">
          {above !== undefined && (
            <nav aria-label="Above">
              <a href={hrefOf(above.path)}>{above.title}</a>
            </nav>
          )}
          <h1>{title}</h1>
        </div>
        {buttons}
      </header>
      {children}
    </main>
  )
}

/** What a view reads: a reading, or anything else that is read again by itself. */
type Shown<T> = {
  value: ReadonlySignal<T | undefined>
  error: ReadonlySignal<ApiError | undefined>
  again: () => void
}

/**
 * Shows what was read. Until then, it shows that the view loads, waits for the server, or why the read failed. A later
 * failure is shown above the content, and a 404 in its place.
 */
export const Loaded = <T,>({
  reading,
  what,
  children,
}: {
  reading: Shown<T>
  what: string
  children: (value: T) => ComponentChildren
}) => {
  const value = reading.value.value
  const error = reading.error.value
  if (error?.status === 404) return <NotFound what={what} />
  const isWaiting = error !== undefined && isUnreached(error)
  if (value === undefined && isWaiting) return <Waiting what={what} />
  return (
    <>
      {error !== undefined && !isWaiting && <Failure error={error.message} retry={reading.again} />}
      {value === undefined ? error === undefined && <Loading what={`the ${what}`} /> : children(value)}
    </>
  )
}
