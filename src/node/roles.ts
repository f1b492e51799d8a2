// Runs the roles of a node, one after the other. A standby follows the log. When it gets the lease, it claims the log
// and owns the shard: the log with its read models and its actors. When the log refuses its writes, or another node has
// the lease, it gives the shard up and is a standby again. Each role is one function, which resolves when the role
// ends.
import type { Report } from '../contract/ports.ts'

export type Role = 'standby' | 'claiming' | 'owner' | 'leaving'

/** What a node holds in a role. `end` gives all of it up, and resolves when everything is closed. */
type Ending = { end(): Promise<void> }
/** What a standby holds. `mayTakeOver`: whether it has everything that an owner needs, at this moment. */
export type Held = Ending & { mayTakeOver(): boolean }

export type RoleDeps<Owned extends Ending> = {
  /** Follows the log. Resolves when the read models have everything that the log had when this was called. */
  standBy(): Promise<Held>
  /** Claims the log. Rejects when another node was faster, when this node lacks keys, or when the storage fails. */
  claim(): Promise<void>
  /** Opens the shard, after a claim. */
  open(): Promise<Owned>
  /** Waits a short time for the running steps of the shard to finish. */
  drain(owned: Owned): Promise<void>
  lease: {
    isMine(): boolean
    /** Whether another node holds the lease. */
    isTheirs(): boolean
    want(isWanted: boolean): void
    release(): Promise<void>
  }
  /** Whether the log has refused this node since its last claim. */
  isFenced(): boolean
  /** Whether this owner gives the log to another node: an operator has ordered it, or its disk takes no writes. */
  mustYield(): boolean
  /**
   * Resolves at the next change: the lease changes, a condition begins or is over, the log refuses a write, or `stopping`
   * is aborted.
   */
  change(): Promise<void>
  stopping: AbortSignal
  /** Resolves after these milliseconds, or when the node stops. */
  pause(ms: number): Promise<void>
  entered(role: Role, owned?: Owned): void
  report: Report
}

/** Milliseconds until a node tries again after a claim, or the opening of a shard, has failed. */
const againMs = 500

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`
}

export const runRoles = async <Owned extends Ending>(deps: RoleDeps<Owned>): Promise<void> => {
  const { lease, stopping, entered, report } = deps
  /** Why this node could not take over, as it was told last. */
  let told: string | undefined

  /** Follows until the lease is this node's, and claims the log. Resolves to whether this node has claimed it. */
  const follow = async (): Promise<boolean> => {
    entered('standby')
    const held = await deps.standBy()
    try {
      let isWanted = held.mayTakeOver()
      lease.want(isWanted)
      while (!lease.isMine() && !stopping.aborted) {
        await deps.change()
        if (held.mayTakeOver() === isWanted) continue
        isWanted = !isWanted
        lease.want(isWanted)
      }
      if (stopping.aborted) return false
      entered('claiming')
      await deps.claim()
      return true
    } finally {
      await held.end()
    }
  }

  /** Undefined: this node does not own the shard. */
  const takeOver = async (): Promise<Owned | undefined> => {
    try {
      return (await follow()) ? await deps.open() : undefined
    } catch (error) {
      const reason = reasonOf(error)
      if (reason !== told) report('warn', `this node could not take over: ${reason}`)
      told = reason
      lease.want(false)
      await lease.release()
      await deps.pause(againMs)
      return undefined
    }
  }

  /** Resolves when this node may not own the shard any longer, or when it stops. */
  const own = async (owned: Owned): Promise<void> => {
    entered('owner', owned)
    told = undefined
    while (!deps.isFenced() && !lease.isTheirs() && !deps.mustYield() && !stopping.aborted)
      await deps.change()
    const isGiven = stopping.aborted || (!deps.isFenced() && !lease.isTheirs())
    entered('leaving')
    if (isGiven) await deps.drain(owned)
    else report('warn', 'another node owns the shard now: this node becomes a standby')
    await owned.end()
    if (!isGiven || stopping.aborted) return // a node that stops releases the lease at its end
    lease.want(false)
    await lease.release()
  }

  while (!stopping.aborted) {
    const owned = await takeOver()
    if (owned !== undefined) await own(owned)
  }
  lease.want(false)
  if (lease.isMine()) await lease.release()
  entered('leaving')
}
