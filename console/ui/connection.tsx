// Whether what the view shows is up to date: the state of its stream.
import { type ReadonlySignal, signal } from '@preact/signals'
import type { Connection } from '../api/kept-stream.ts'

/** The state of the stream of the present view. */
export const connection = signal<ReadonlySignal<Connection> | undefined>(undefined)

const words: Record<Connection, string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, trying again',
  ended: 'Complete',
  refused: 'Refused',
}

export const ConnectionState = () => {
  const state = connection.value?.value
  return (
    <output class={`connection is-${state ?? 'none'}`} aria-live="polite">
      {state === undefined ? '' : words[state]}
    </output>
  )
}
