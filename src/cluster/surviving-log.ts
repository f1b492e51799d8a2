// Decides with which log a stream begins that is empty or made again: that of the nodes. What no node of the cluster can
// fill in again would be lost, so nodes that contradict each other are refused.
import { CannotStart } from '../contract/cannot-start.ts'
import type { Beginning } from './beginning.ts'
import type { Surveyed } from './survey.ts'

export type Seen = {
  /** The nodes that were asked. */
  nodes: readonly Surveyed[]
  /** The log in the folder that the operator has named. */
  inFolder?: (Beginning & { folder: string }) | undefined
  /** The name of the node that sent the newest beat; absent: nobody could tell. */
  holder?: string | undefined
}
type Answering = Surveyed & { log_id: string }

const nameOf = ({ node, url }: Surveyed): string => node ?? url

const ownerOf = (nodes: readonly Answering[], holder: string | undefined): Answering | undefined => {
  const owners = nodes.filter(({ role }) => role === 'owner')
  const [owner] = owners
  if (owners.length > 1)
    throw new CannotStart(
      `${owners.map(nameOf).join(' and ')} say that they own the log, and nothing was changed: one of them learns in a moment that it does not. Run this again then`,
    )
  if (owner !== undefined && holder !== undefined && holder !== owner.node)
    throw new CannotStart(
      `${nameOf(owner)} says that it owns the log, but the newest beat is of ${holder}, and nothing was changed: run this where ${holder} answers, or stop ${nameOf(owner)}`,
    )
  return owner
}

/**
 * The id of the log when no node owns it, but each node that is known answers: then the one that owned it last is among them,
 * also when the servers have lost its beats. One node alone does not know of each other one.
 */
const idOfAll = ({ nodes, holder }: Seen, answering: readonly Answering[]): string | undefined => {
  const areAll = answering.length === nodes.length && nodes.length > 1
  const isThere = holder === undefined || nodes.some(({ node }) => node === holder)
  return areAll && isThere ? answering[0]?.log_id : undefined
}

/**
 * The log that goes on; undefined: no node owns one, none is named, and not all nodes answer. No node may own the log later
 * that has fewer events than any node here. Throws CannotStart when nodes contradict each other.
 */
export const survivingLog = (seen: Seen): Beginning | undefined => {
  const { nodes, inFolder, holder } = seen
  const answering = nodes.filter(
    (node): node is Answering => node.state === 'answers' && node.log_id !== undefined,
  )
  const owner = ownerOf(answering, holder)
  const id = owner?.log_id ?? inFolder?.id ?? idOfAll(seen, answering)
  if (id === undefined) return undefined
  const others = [
    ...answering
      .filter(({ log_id }) => log_id !== id)
      .map(node => `the node ${nameOf(node)} has the log ${node.log_id}`),
    ...(inFolder !== undefined && inFolder.id !== id
      ? [`${inFolder.folder} has the log ${inFolder.id}`]
      : []),
  ]
  const [first] = answering
  const whose =
    owner !== undefined
      ? `the node ${nameOf(owner)}, which owns the log,`
      : (inFolder?.folder ?? `the node ${first && nameOf(first)}`)
  if (others.length > 0)
    throw new CannotStart(
      `${whose} has the log ${id}, but ${others.join(', and ')}. Nothing was changed: leave --data out, or stop the node whose log is not needed`,
    )
  return { id, position: Math.max(inFolder?.position ?? 0, ...answering.map(({ position = 0 }) => position)) }
}
