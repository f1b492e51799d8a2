// Asks the nodes of a cluster about themselves, for an operator. Every node that another node names is asked, too.
import type { Ask } from './door/ask-node.ts'
import { type Standby, statusPath } from './door/node-routes.ts'

/** The answer of a node to `GET /cluster/status`. */
export type NodeStatus = {
  node: string
  url: string
  role: 'owner' | 'standby'
  /** The name of the owner; null: this node knows none. */
  owner: string | null
  /** The last record of the shared log that this node has. */
  sequence: number
  /** By how many positions the read models of this node are behind. */
  lag: number
  /** Nodes that have asked this one for keys. */
  standbys?: Pick<Standby, 'node' | 'url'>[]
}
export type Surveyed = NodeStatus | { url: string; error: string }

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error & { cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || message
}

/** Asks the nodes at these URLs, and those that they name. Never rejects. */
export const survey = async (ask: Ask, urls: Iterable<string>): Promise<Surveyed[]> => {
  const found = new Map<string, Surveyed>()
  const asked = new Set<string>()
  const waiting = [...urls]
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    if (asked.has(url)) continue
    asked.add(url)
    try {
      const { bytes } = await ask(url, { method: 'GET', path: statusPath })
      const status = JSON.parse(bytes.toString()) as NodeStatus
      found.set(status.node, status) // a node can be reached at more than one URL
      asked.add(status.url)
      waiting.push(...(status.standbys ?? []).map(standby => standby.url))
    } catch (error) {
      found.set(url, { url, error: reasonOf(error) })
    }
  }
  return [...found.values()]
}
