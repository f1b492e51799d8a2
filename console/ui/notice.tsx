// What a view says when it has nothing to show, waits, or failed.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { saysUnreached } from '../api/api-error.ts'
import { isAway } from '../api/reach.ts'

/** `isPage`: the page shows nothing else. */
export const Empty = ({
  title,
  isPage,
  children,
}: {
  title: string
  isPage?: boolean
  children?: ComponentChildren
}) => {
  useEffect(() => {
    if (isPage) document.title = `${title} · Reprise`
  }, [title, isPage])
  return (
    <div class="empty">
      {isPage ? <h1>{title}</h1> : <strong>{title}</strong>}
      <div>{children}</div>
    </div>
  )
}

export const Loading = ({ what }: { what: string }) => (
  <div class="loading" role="status">
    <span class="spinner" aria-hidden="true" />
    Loading {what}…
  </div>
)

/** What the address names is not there, or not for this user: the server does not say which. */
export const NotFound = ({ what, children }: { what: string; children?: ComponentChildren }) => {
  useEffect(() => {
    document.title = 'Not found · Reprise'
  }, [])
  return (
    <Empty title="Not found">
      <p>There is no such {what}, or this token does not reach it.</p>
      {children}
    </Empty>
  )
}

/** The view waits for the server, and shows the rest when the server is back. */
export const Waiting = ({ what }: { what: string }) => (
  <div class="loading" role="status">
    The {what} is shown when the server is back.
  </div>
)

/** While the server is away, the page says so in one place. Then this is no failure of its own, and passes by itself. */
export const Failure = ({ error, retry }: { error: string; retry?: () => void }) =>
  isAway.value || saysUnreached(error) ? (
    <p class="hint waiting" role="status">
      Waiting for the server…
    </p>
  ) : (
    <div class="failure" role="alert">
      <span>{error}</span>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )

/** Why an action failed; nothing when it did not. */
export const Problem = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  )
