// Follows events for as long as a view is open. A connection that breaks is opened again, and then the view reads its data
// again, so it misses nothing. Without a WebSocket the view reads its data every few seconds. `state` says how it stands.
import { signal } from '@preact/signals'
import { channelOf, type Gap, type PublicEvent } from '../../src/contract/events/public-events.ts'
import type { Api } from './api.ts'
import { type ApiError, isRefusal, NoSocket } from './api-error.ts'
import { isAway, whenThere } from './reach.ts'

export type Connection = 'connecting' | 'live' | 'asking' | 'lost' | 'ended' | 'missing' | 'refused'

/** What an error of a request says about the connection of a view. */
export const stateAfter = (error: ApiError): Connection => {
  if (error.status === 404) return 'missing'
  if (isRefusal(error)) return 'refused'
  return error instanceof NoSocket ? 'asking' : 'lost'
}

/** Which events a view wants. `types`: their names, with commas. */
export type Wanted = { types: string; session_id?: string; task_id?: string }

type Options = {
  api: Api
  events: Wanted
  onEvent: (event: PublicEvent) => void
  /** Called when the view must read its data again, because events may have come of which it was not told. */
  again: () => void
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

export const openLiveStream = ({ api, events: { types, ...filter }, onEvent, again }: Options) => {
  const state = signal<Connection>('connecting')
  const closed = new AbortController()
  let waitMs = firstWaitMs
  const names = types.split(',')
  const channels = [...new Set(names.map(channelOf))]

  const follow = () =>
    api.follow(
      { channels, filter: { ...filter, types: names } },
      {
        signal: closed.signal,
        onOpen() {
          state.value = 'live'
          waitMs = firstWaitMs
          again()
        },
        onEvent(given) {
          const event = given as PublicEvent | Gap
          if (event.type === 'Gap') again()
          else onEvent(event)
        },
      },
    )
  const failed = (error: ApiError | undefined) => {
    if (error === undefined) return 'lost'
    const after = stateAfter(error)
    if (after === 'asking') again()
    return after
  }

  const run = async () => {
    while (!closed.signal.aborted) {
      const error = await follow().then(
        () => undefined,
        (error: ApiError) => error,
      )
      if (closed.signal.aborted) return
      state.value = failed(error)
      if (state.value === 'refused') return
      await pause(waitMs * (0.75 + Math.random() / 2), closed.signal)
      waitMs = Math.min(longestWaitMs, waitMs * 2)
      if (!isAway.value) continue
      await whenThere()
      waitMs = firstWaitMs
    }
  }
  void run()
  return { state, close: () => closed.abort() }
}
