// Holds requests until it is known which node owns the event log. Their bodies stay unread meanwhile.
import type { EventEmitter } from 'node:events'
import type { Timers } from '../../contract/ports.ts'

/** The largest number of requests that wait at a time. */
const mostHeld = 10_000
/** How many waiting requests continue in one turn of the event loop. */
const perTurn = 128

/** `full`: too many requests wait already. `stopping`: the node stops. */
type End = 'changed' | 'late' | 'full' | 'stopping' | 'gone'

export const createHeldRequests = ({ timers, stopping }: { timers: Timers; stopping: AbortSignal }) => {
  const waiting = new Set<(end: End) => void>()
  const release = (end: End): void => {
    const all = [...waiting]
    waiting.clear()
    const next = () => {
      for (const wake of all.splice(0, perTurn)) wake(end)
      if (all.length > 0) setImmediate(next)
    }
    next()
  }
  stopping.addEventListener('abort', () => release('stopping'), { once: true })
  return {
    /**
     * Resolves when the owner may have changed, the node stops or the client is gone, at the latest after `ms`
     * milliseconds, and at once when too many requests wait. `client` emits `close` when it is gone.
     */
    wait(ms: number, client: EventEmitter): Promise<End> {
      if (stopping.aborted) return Promise.resolve('stopping')
      if (waiting.size >= mostHeld) return Promise.resolve('full')
      return new Promise(resolve => {
        const wake = (end: End) => {
          cancel()
          client.off('close', gone)
          waiting.delete(wake)
          resolve(end)
        }
        const gone = () => wake('gone')
        client.once('close', gone)
        const cancel = timers.after(ms, () => wake('late'))
        waiting.add(wake)
      })
    },
    changed: (): void => release('changed'),
    count: (): number => waiting.size,
  }
}
