// Keeps what this node is at the moment, for its gateway, its metrics and its readiness.

import { type Conditions, conditionCodes } from '../cluster/conditions.ts'
import type { Owner } from '../cluster/gateway/route.ts'
import type { Lease } from '../cluster/lease.ts'
import type { NodeState } from '../shard/doors.ts'
import type { Role } from './roles.ts'
import type { OwnedShard } from './shard-owner.ts'
import type { Standby } from './standby.ts'
import type { NodeStorage } from './storage.ts'

type Deps = {
  /** The name of this node. */
  name: string
  lease: Pick<Lease, 'isMine' | 'holder'>
  storage: Pick<NodeStorage, 'replica' | 'keys'>
  standby: Pick<Standby, 'lag'>
  conditions: Pick<Conditions, 'shown'>
}

export const createSelf = ({ name, lease, storage, standby, conditions }: Deps) => {
  let role: Role = 'standby'
  let owned: OwnedShard | undefined
  let takeovers = 0

  const isOwner = (): boolean => role === 'owner'
  const other = () => {
    const holder = lease.holder()
    return holder?.name === name ? undefined : holder
  }
  /** Every code, with whether the condition is shown. */
  const conditionsNow = (): Record<string, boolean> => {
    const now = new Set(conditions.shown().map(({ code }) => code))
    return Object.fromEntries(conditionCodes.map(code => [code, now.has(code)]))
  }
  const state: NodeState = {
    inCluster: () => ({
      node: name,
      role: isOwner() ? 'owner' : 'standby',
      owner: isOwner() ? name : (other()?.name ?? null),
      conditions: conditions
        .shown()
        .map(({ code, text, since }) => ({ code, message: text, since: new Date(since).toISOString() })),
    }),
    counts: () => ({
      isOwner: isOwner(),
      sequence: storage.replica.caughtUp().sequence,
      takeovers,
      lag: isOwner() ? 0 : standby.lag(),
      isAlone: storage.keys.isAlone(),
      conditions: conditionsNow(),
    }),
  }
  return {
    state,
    entered(next: Role, now?: OwnedShard): void {
      role = next
      owned = now
      if (now !== undefined) takeovers++
    },
    role: (): Role => role,
    /** Whether another process with the name of this node has the lease. */
    hasNamesake: (): boolean => !isOwner() && lease.holder()?.name === name && !lease.isMine(),
    /** The shard of this node; undefined: the node owns none. */
    owned: (): OwnedShard | undefined => owned,
    /**
     * The node to which requests go. An owner whose lease has run out answers nothing, since another node may own the
     * shard by now.
     */
    owner(): Owner {
      if (owned !== undefined && lease.isMine()) return 'me'
      const holder = other()
      return holder && { url: holder.url }
    },
    /** Whether another node has the lease. */
    hasSuccessor: (): boolean => other() !== undefined,
  }
}
export type Self = ReturnType<typeof createSelf>
