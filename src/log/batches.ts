// Turns a subscription into an async generator: the reader gets the next batch when it asks for one.
import type { Recorded } from '../contract/stored.ts'
import type { Handler, Subscription } from './follower.ts'

export type Batches = {
  /** Ends when the subscription ends or `close` is called. Throws the subscription's error. For one reader only. */
  all(): AsyncGenerator<readonly Recorded[], void, undefined>
  close(): void
}

export const createBatches = (subscribe: (handle: Handler<Recorded>) => Subscription): Batches => {
  let offered: { events: readonly Recorded[]; done: () => void } | undefined
  let failure: { error: unknown } | undefined
  let isOver = false
  let wake = () => {}
  const subscription = subscribe(
    events =>
      new Promise(done => {
        offered = { events, done }
        wake()
      }),
  )
  const end = () => {
    isOver = true
    offered?.done()
    wake()
  }
  subscription.done.then(end, error => {
    failure = { error }
    end()
  })
  return {
    async *all() {
      for (;;) {
        while (offered === undefined && !isOver) {
          await new Promise<void>(resolve => {
            wake = resolve
          })
        }
        if (failure !== undefined) throw failure.error
        if (isOver || offered === undefined) return
        const { events, done } = offered
        yield events
        offered = undefined
        done()
      }
    },
    close() {
      end()
      void subscription.stop()
    },
  }
}
