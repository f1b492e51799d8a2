// Counts requests and times them, by the pattern of their route. Also counts open streams and messages of WebSockets.
import { add, createTally, type Tally } from './tally.ts'

const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** `status` is the status of the answer, or `none` if the connection ended before an answer. */
export type RequestLabels = { method: string; route: string; status: number | 'none' }

export const createRequestCounts = () => {
  const ended = new Map<string, { labels: RequestLabels; tally: Tally }>()
  const open = new Map<string, number>()
  const messages = new Map<string, { type: string; outcome: string; count: number }>()
  let taskStreams = 0
  return {
    ended,
    /** The number of requests that are running, by route. */
    open,
    /** The number of answered messages of WebSockets, by type and outcome. */
    messages,
    taskStreams: () => taskStreams,

    begin(route: string): void {
      open.set(route, (open.get(route) ?? 0) + 1)
    },
    end(labels: RequestLabels, took: number): void {
      const { method, route, status } = labels
      open.set(route, (open.get(route) ?? 1) - 1)
      const key = `${method} ${route} ${status}`
      let known = ended.get(key)
      if (known === undefined) {
        known = { labels, tally: createTally(seconds) }
        ended.set(key, known)
      }
      add(known.tally, took)
    },
    /** Counts an answered message of a WebSocket. `type` is a known type or `unknown`. */
    message(type: string, outcome: 'ok' | 'refused' | 'failed'): void {
      const known = messages.get(`${type} ${outcome}`)
      if (known === undefined) messages.set(`${type} ${outcome}`, { type, outcome, count: 1 })
      else known.count++
    },
    /** Counts a task's stream as open until it is closed. */
    taskStream<Stream extends { close(): void }>(stream: Stream): Stream {
      taskStreams++
      let isOpen = true
      const close = () => {
        if (isOpen) taskStreams--
        isOpen = false
        stream.close()
      }
      return { ...stream, close }
    },
  }
}
export type RequestCounts = ReturnType<typeof createRequestCounts>
