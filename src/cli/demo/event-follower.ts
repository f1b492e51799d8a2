// Follows the public events of the demo's cluster. When its connection ends, it continues at the other node, after the
// last event that it has.
import { setTimeout as sleep } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import type { PublicEvent } from '../../contract/events/public-events.ts'

/** Milliseconds from the end of a connection to the next attempt to connect. */
const againMs = 50

export type HeardEvent = { id: number; event: PublicEvent }
type Deps = { urls: string[]; token: string }

export const followEvents = ({ urls, token }: Deps) => {
  const heard: HeardEvent[] = []
  const leave = new AbortController()
  let connections = 0

  const read = async (url: string): Promise<void> => {
    const cursor = String(heard.at(-1)?.id ?? 'earliest')
    const answer = await fetch(`${url}/api/events`, {
      headers: { authorization: `Bearer ${token}`, 'last-event-id': cursor },
      signal: leave.signal,
    })
    if (!answer.ok || answer.body === null) return
    connections++
    const parser = createParser({
      onEvent: ({ id, data }) => heard.push({ id: Number(id), event: JSON.parse(data) as PublicEvent }),
    })
    const decoder = new TextDecoder()
    for await (const chunk of answer.body) parser.feed(decoder.decode(chunk, { stream: true }))
  }
  const follow = async (): Promise<void> => {
    for (let turn = 0; !leave.signal.aborted; turn++) {
      await read(urls[turn % urls.length] ?? '').catch(() => {}) // the connection broke: the next turn connects again
      if (!leave.signal.aborted) await sleep(againMs)
    }
  }
  const following = follow()
  return {
    heard,
    /** The number of connections that were made. */
    connections: () => connections,
    stop(): Promise<void> {
      leave.abort()
      return following
    },
  }
}
export type EventFollower = ReturnType<typeof followEvents>
