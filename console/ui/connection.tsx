// Shows the state of the view's stream, so that the user sees whether the view is up to date.
import { type ReadonlySignal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Connection } from '../api/live-stream.ts'
import { isAway } from '../api/reach.ts'

/** The state of the stream of the present view. */
const connection = signal<ReadonlySignal<Connection> | undefined>(undefined)

/** Makes the head of the page show the state of a stream, for as long as the component is shown. */
export const useConnection = (state: ReadonlySignal<Connection> | undefined): void =>
  useEffect(() => {
    if (state === undefined) return
    connection.value = state
    return () => {
      if (connection.value === state) connection.value = undefined
    }
  }, [state])

const words: Record<Connection, string> = {
  connecting: 'Connecting',
  live: 'Live',
  asking: 'Read every few seconds',
  lost: 'Connection lost, trying again',
  ended: 'Complete',
  missing: 'Not found',
  refused: 'Not allowed',
}

export const ConnectionState = () => {
  const state = isAway.value ? 'lost' : connection.value?.value
  return (
    <output class={`connection is-${state ?? 'none'}`} aria-live="polite">
      {state === undefined ? '' : words[state]}
    </output>
  )
}

/** Says below the head what follows for the user while the server cannot be reached. */
export const Away = () =>
  isAway.value ? (
    <p class="away" role="status">
      The server cannot be reached. This page goes on by itself when the server is back; until then, you can
      read what is here, and change nothing.
    </p>
  ) : null
