// Followers of the public events of a cluster, by server-sent events at either node. Each goes on after the last event
// that it has, at the other node, whenever its connection ends or nothing arrives for long.
import { createParser } from 'eventsource-parser'
import type { PublicEvent } from '../../src/contract/events/public-events.ts'
import type { Node } from '../support/cluster-node.ts'
import { pause } from '../support/http.ts'
import { adminToken } from '../support/server.ts'

export type Heard = { id: number; data: string }
export type Follower = {
  name: string
  heard: Heard[]
  /** How many messages it has got, also those that it had already. */
  taken: () => number
  /** How often it had to connect again. */
  cuts: () => number
  stop(): Promise<void>
}

/** Milliseconds without a byte after which a follower leaves a connection. The load sends events all the time. */
const silentMs = 2500

const last = ({ heard }: { heard: Heard[] }): number | undefined => heard.at(-1)?.id

export const followByHttp = (name: string, nodes: Node[], first: number): Follower => {
  const heard: Heard[] = []
  let over: AbortController | undefined
  let isOver = false
  let cuts = 0

  const read = async (node: Node): Promise<void> => {
    const leave = new AbortController()
    over = leave
    let timer = setTimeout(() => leave.abort(), silentMs)
    try {
      const answer = await fetch(`${node.url}/api/events`, {
        headers: {
          authorization: `Bearer ${adminToken}`,
          'last-event-id': String(last({ heard }) ?? 'earliest'),
        },
        signal: leave.signal,
      })
      if (answer.status !== 200) return
      const parser = createParser({ onEvent: ({ id, data }) => heard.push({ id: Number(id), data }) })
      const decoder = new TextDecoder()
      for await (const chunk of answer.body ?? []) {
        clearTimeout(timer)
        timer = setTimeout(() => leave.abort(), silentMs)
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
      }
    } catch {
      // The connection was broken, or left.
    } finally {
      clearTimeout(timer)
    }
  }
  const following = (async () => {
    for (let turn = first; !isOver; turn++) {
      await read(nodes[turn % nodes.length] as Node)
      cuts++
      await pause(20)
    }
  })()
  return {
    name,
    heard,
    taken: () => heard.length,
    cuts: () => cuts,
    stop() {
      isOver = true
      over?.abort()
      return following
    },
  }
}

/** All public events, read from a node in one go up to this one. */
export const readEvents = async (node: Node, until: (heard: Heard[]) => boolean): Promise<Heard[]> => {
  const reader = followByHttp('reader', [node], 0)
  const end = performance.now() + 60_000
  while (!until(reader.heard) && performance.now() < end) await pause(20)
  await reader.stop()
  return reader.heard
}

export const eventOf = ({ data }: Heard): PublicEvent => JSON.parse(data) as PublicEvent
