// What a view says when it has nothing to show, waits, or failed.
import type { ComponentChildren } from 'preact'

/** `isPage`: the page shows nothing else. */
export const Empty = ({
  title,
  isPage,
  children,
}: {
  title: string
  isPage?: boolean
  children?: ComponentChildren
}) => (
  <div class="empty">
    {isPage ? <h1>{title}</h1> : <strong>{title}</strong>}
    <div>{children}</div>
  </div>
)

export const Loading = ({ what }: { what: string }) => (
  <div class="loading" role="status">
    <span class="spinner" aria-hidden="true" />
    Loading {what}…
  </div>
)

export const Failure = ({ error, retry }: { error: string; retry?: () => void }) => (
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
