// The metrics of a node of a cluster.
import { counter, type Family, gauge } from './exposition.ts'

export type ClusterCounts = {
  isOwner: boolean
  /** The sequence of the last record of the shared log that this node has. */
  sequence: number
  takeovers: number
  /** The number of positions by which the read models of a standby are behind its copy of the log. */
  lag: number
  /** Whether this node uses stream keys that no other node has. */
  isAlone: boolean
  /** By code: whether something is wrong at the moment. */
  conditions: Record<string, boolean>
  /** How many records the standby lacks; undefined: this node knows no standby. */
  behind?: number | undefined
}

export const clusterFamilies = (counts: () => ClusterCounts): Family[] => [
  gauge('reprise_cluster_owner', '1 while this node owns the shard.', () => Number(counts().isOwner)),
  gauge(
    'reprise_cluster_sequence',
    'The last record of the shared log that this node has.',
    () => counts().sequence,
  ),
  counter(
    'reprise_cluster_takeovers_total',
    'How often this node has become the owner.',
    () => counts().takeovers,
  ),
  gauge(
    'reprise_cluster_standby_lag_positions',
    "Events in a standby's copy of the log that its read models do not have yet.",
    () => counts().lag,
  ),
  gauge(
    'reprise_cluster_alone',
    '1 while only this node has some of the stream keys: without this node, nobody could read their events.',
    () => Number(counts().isAlone),
  ),
  gauge(
    'reprise_cluster_condition',
    '1 while something is wrong with this node or its cluster. The label says what.',
    () => Object.entries(counts().conditions).map(([code, isOn]) => [{ code }, Number(isOn)]),
  ),
  gauge('reprise_cluster_standby_behind_records', 'Records that the standby of this owner lacks.', () => {
    const { isOwner, behind } = counts()
    return isOwner && behind !== undefined ? behind : []
  }),
]
