// Compares what a cluster promises with what the demo has observed.
import type { HeardEvent } from './event-follower.ts'
import type { Finding } from './verdict.ts'

export type SeenFailover = {
  /** The ids of the acknowledged tasks. */
  acknowledged: string[]
  /** The tasks that the cluster lists at the end of the demo. */
  listed: { id: string; status: string }[]
  /** The events that the follower has received, and the number of its connections. */
  heard: HeardEvent[]
  connections: number
  /** All public events, read again from the first one at the end of the demo. */
  all: HeardEvent[]
  /** The longest time without an answer to any client, in milliseconds. */
  outageMs: number
}

/** The promise is kept when no time without an answer to any client is longer than this, in milliseconds. */
const outageLimitMs = 5000

const tasksFinding = ({ acknowledged, listed }: SeenFailover): Finding => {
  const completed = new Set(listed.flatMap(({ id, status }) => (status === 'completed' ? [id] : [])))
  const lost = acknowledged.filter(id => !completed.has(id))
  const found =
    lost.length === 0
      ? `all ${acknowledged.length} acknowledged tasks are there and completed`
      : `lost or not completed: ${lost.slice(0, 3).join(', ')}`
  return { promise: 'nothing lost', kept: lost.length === 0, found }
}

const doubledFinding = ({ acknowledged, listed }: SeenFailover): Finding => {
  const more = listed.length - new Set(acknowledged).size
  return {
    promise: 'nothing doubled',
    kept: more === 0,
    found: more === 0 ? 'each request made one task, however often it was sent' : `${more} tasks too many`,
  }
}

const eventsFinding = ({ heard, all, connections }: SeenFailover): Finding => {
  const differs = all.findIndex(({ id }, n) => heard[n]?.id !== id)
  const kept = differs < 0 && heard.length === all.length
  return {
    promise: 'no gap, no repeat',
    kept,
    found: kept
      ? `${all.length} events, each once and in order, over ${connections} connections`
      : `event ${differs < 0 ? all.length : differs} differs from what is stored`,
  }
}

export const failoverVerdictOf = (seen: SeenFailover): Finding[] => [
  tasksFinding(seen),
  doubledFinding(seen),
  eventsFinding(seen),
  {
    promise: 'back in time',
    kept: seen.outageMs <= outageLimitMs,
    found: `the longest time without an answer was ${(seen.outageMs / 1000).toFixed(1)} s; the limit is ${outageLimitMs / 1000} s`,
  },
]
