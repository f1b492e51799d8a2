// Keeps a stream open: a stream that ends is opened again after the last event that came. `state` says if it is open.
import { signal } from '@preact/signals'
import type { ApiError } from './api-error.ts'
import type { Api } from './client.ts'

export type Connection = 'connecting' | 'live' | 'lost' | 'ended' | 'refused'

type Options = {
  api: Api
  path: string
  /** The id of the event after which the stream begins. */
  after?: string | undefined
  onEvent: (type: string, data: string) => void
  /** Called when the server refuses the cursor: the page must read its data again. The stream goes on from now. */
  onGap: () => void
}

const firstWaitMs = 300
const longestWaitMs = 5_000

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

export const keepStream = ({ api, path, after, onEvent, onGap }: Options) => {
  const state = signal<Connection>('connecting')
  const closed = new AbortController()
  let cursor = after
  let waitMs = firstWaitMs

  const open = () =>
    api.follow(path, {
      lastEventId: cursor,
      signal: closed.signal,
      onOpen: () => {
        state.value = 'live'
        waitMs = firstWaitMs
      },
      onEvent: ({ id, event = '', data }) => {
        if (id !== undefined) cursor = id
        onEvent(event, data)
      },
    })

  const run = async () => {
    while (!closed.signal.aborted) {
      const error = await open().then(
        () => undefined,
        (error: ApiError) => error,
      )
      if (closed.signal.aborted) return
      if (error?.status === 401 || error?.status === 403) {
        state.value = 'refused'
        return
      }
      state.value = 'lost'
      if (error?.status === 422) {
        cursor = undefined
        onGap()
      }
      await pause(waitMs * (0.75 + Math.random() / 2), closed.signal)
      waitMs = Math.min(longestWaitMs, waitMs * 2)
    }
  }
  void run()
  return { state, close: () => closed.abort() }
}
export type KeptStream = ReturnType<typeof keepStream>
