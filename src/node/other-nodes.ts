// Asks the other nodes for their status every two seconds. So each node knows the nodes that there are and have been,
// and the owner knows how far its standby is.
import type { Ask } from '../cluster/gateway/ask-node.ts'
import { statusPath } from '../cluster/gateway/node-routes.ts'
import type { SeenNode, SeenNodes } from '../cluster/seen-nodes.ts'
import type { NodeStatus } from '../cluster/survey.ts'
import type { World } from '../contract/ports.ts'

type Deps = {
  /** The name of this node. */
  name: string
  seen: SeenNodes
  /** Nodes that beats, claims and questions name. */
  named(): SeenNode[]
  ask: Ask
  /** The last record that this node has. */
  sequence(): number
  world: Pick<World, 'clock' | 'timers'>
  /** Called when `hasReady` has changed. */
  changed?(): void
  everyMs?: number
}
/** A node with its answer; without one: it did not answer. `behind`: the number of records that it lacks and this node has. */
export type Answered = SeenNode & { status?: NodeStatus; behind?: number }

export const createOtherNodes = ({
  name,
  seen,
  named,
  ask,
  sequence,
  world,
  changed,
  everyMs = 2000,
}: Deps) => {
  const { clock, timers } = world
  let latest: Answered[] = []

  const askOne = async (node: SeenNode): Promise<Answered> => {
    const end = sequence()
    try {
      const { bytes } = await ask(node.url, { method: 'GET', path: statusPath })
      const status = JSON.parse(bytes.toString()) as NodeStatus
      if (status.node === name) return node
      const now = { node: status.node, url: status.url, seenAt: clock.now() }
      seen.note(now)
      for (const told of status.nodes ?? []) if (told.node !== name) seen.note(told)
      if (status.node !== node.node) return node // another node has its URL now
      return { ...now, status, behind: Math.max(0, end - status.sequence) }
    } catch {
      return node
    }
  }
  const hasReady = (): boolean =>
    latest.some(({ status }) => status?.role === 'standby' && status.ready === true)
  const look = async (): Promise<Answered[]> => {
    for (const one of named()) seen.note(one)
    const had = hasReady()
    latest = await Promise.all(
      seen
        .all()
        .filter(({ node }) => node !== name)
        .map(askOne),
    )
    if (hasReady() !== had) changed?.()
    await seen.save()
    return latest
  }
  let isLooking = false
  const lookAgain = async (): Promise<void> => {
    if (isLooking) return // a node that is frozen takes longer than the time between two looks
    isLooking = true
    await look()
    isLooking = false
  }
  const stop = timers.every(everyMs, () => void lookAgain())
  void lookAgain()
  return {
    /** Asks all of them now. Never rejects. */
    look,
    /** Whether another node is ready to take over, as it has said a moment ago. */
    hasReady,
    /** How many records the standby lacks that lacks the fewest; undefined: no standby has answered. */
    behind(): number | undefined {
      const standbys = latest.filter(({ status }) => status?.role === 'standby')
      return standbys.length === 0 ? undefined : Math.min(...standbys.map(({ behind = 0 }) => behind))
    },
    all: seen.all,
    /** Every other node that is known, with the answer that it has given a moment ago. */
    heard: (): Answered[] =>
      seen
        .all()
        .filter(({ node }) => node !== name)
        .map(one => latest.find(({ node }) => node === one.node) ?? one),
    /** Forgets a node, also in the file, which commands read. Resolves to whether the node was known. */
    async forget(node: string): Promise<boolean> {
      const was = seen.forget(node)
      await seen.save()
      return was
    },
    stop,
  }
}
export type OtherNodes = ReturnType<typeof createOtherNodes>
