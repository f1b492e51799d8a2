// Makes this node the owner of the shared log: claims the log, publishes what the servers lack, and claims the log
// again after a failure. Between two claims, the node steps back to the last place at which no work was open.
import type { Timers } from '../../contract/ports.ts'
import { StorageFailure } from '../../contract/stored.ts'
import type { Store } from '../../log/store.ts'
import type { Conditions } from '../conditions.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'
import { Fenced, type SharedLog } from '../shared-log.ts'
import { createClaiming, type Node } from './claiming.ts'
import type { CopiedSecrets } from './copied-secrets.ts'
import { IsShorter } from './errors.ts'
import type { Intake } from './intake.ts'
import { endWaiting } from './log-conditions.ts'
import type { OtherLog } from './longest.ts'
import type { createOwnedSecrets } from './owned-secrets.ts'
import { createOwner, type DoubtedBatch, type Owner } from './owner.ts'
import { createPublisher } from './publisher.ts'
import { refillings } from './refill.ts'

type Deps = {
  local: Store
  shared: SharedLog
  /** The key that signs records. */
  key: Buffer
  /** The id of the log. */
  logId: string
  keys: StreamKeys
  copied: CopiedSecrets
  owned: ReturnType<typeof createOwnedSecrets>
  intake: Intake
  node: Node
  /** The logs of the other nodes. */
  others: () => readonly OtherLog[]
  /** Whether this node holds the lease. */
  mayClaim: () => boolean
  conditions: Conditions
  timers: Timers
  /** Called when another node owns the log. */
  fenced: () => void
}

/** How many records of a refill may be made and not stored yet. */
const recordsAhead = 2

export const createOwnership = (deps: Deps) => {
  const { local, shared, key, keys, copied, owned, intake, mayClaim, conditions, timers } = deps
  const claiming = createClaiming(deps)
  let owner: Owner | undefined
  /** The last `Owner` that was made. Its records may still be under way. */
  let latest: Owner | undefined
  /** The sequence of the last claim of this node. */
  let claimed = 0
  /** A batch of a former `Owner` that got no answer. */
  let doubted: DoubtedBatch | undefined

  const fenced = (): void => {
    owner = undefined
    doubted = undefined // another node decides what comes next
    deps.fenced()
  }
  const failed = (error: unknown): void => {
    if (error instanceof Fenced) fenced()
  }
  /** Publishes what the shared log lacks. While the servers store a record, the next ones are made. */
  const refill = async (own: Owner): Promise<void> => {
    const underWay: Promise<void>[] = []
    const begun = async (stored: Promise<void>): Promise<void> => {
      stored.catch(() => {}) // it is awaited later
      underWay.push(stored)
      if (underWay.length > recordsAhead) await underWay.shift()
    }
    for (const each of refillings(local, intake.at().position)) await own.refill(each, begun)
    await Promise.all(underWay)
    owned.changed() // empties the list of changed secrets, since `differences` returns these, too
    await own.putSecrets(copied.differences())
  }
  /** Stops writing, and goes back to the last place at which no work was open, to read from there again. */
  const stepBack = async (): Promise<void> => {
    owner = undefined
    await latest?.settled()
    if (latest !== undefined) await intake.restart()
    latest = undefined
  }
  /** Resolves to the sequence of the claim. `waits`: see claiming.ts. */
  const claim = async (waits: boolean): Promise<number> => {
    const sequence = await claiming.claim(waits)
    claimed = sequence
    keys.beginEpoch(sequence)
    const at = intake.at()
    const publisher = createPublisher(shared, key, at)
    const changedSecrets = owned.changed
    const own = createOwner({
      ...{ local, keys, copied, publisher, intake, changedSecrets, timers, failed },
      position: at.position,
    })
    latest = own
    await refill(own)
    owner = own
    endWaiting(conditions)
    return sequence
  }

  /** Whether another node has claimed the log after this one. If the servers have lost the claim of this node, none has. */
  const isOvertaken = (): boolean => !claiming.isMine() && (intake.claim()?.mark.sequence ?? 0) > claimed
  /**
   * A standby may have read a batch that got no answer and that the servers have lost since. So this node keeps this batch,
   * too: otherwise the two nodes would have different events at these positions.
   */
  const storeDoubted = async (): Promise<void> => {
    const batch = doubted
    if (batch !== undefined && batch.long.length === 0 && batch.first === intake.head() + 1) {
      await local.write(batch)
      await intake.restart()
    }
    doubted = undefined
  }

  return {
    async stepBack(): Promise<void> {
      await stepBack()
      doubted = undefined // from here on, the shared log alone says which events there are
    },
    claim: (): Promise<number> => claim(true),
    /** Opens the local log again after a failure, and claims the shared log again if nobody else has. */
    async claimAgain(): Promise<void> {
      doubted = latest?.doubted() ?? doubted
      await stepBack()
      await local.reopen()
      await intake.restart()
      await claiming.readToEnd()
      if (isOvertaken()) {
        fenced()
        throw new Fenced(`${intake.claim()?.node ?? 'nobody'} owns the log`)
      }
      if (!mayClaim()) throw new StorageFailure('this node may not claim the log at present')
      await storeDoubted()
      // This node has all that it has acknowledged, so it does not wait for nodes that do not answer.
      await claim(false).catch(error => {
        if (!(error instanceof IsShorter)) throw error
        fenced()
        throw new Fenced(error.message)
      })
    },
    /** The object that writes while this node owns the log; undefined: it does not own the log. */
    owner: (): Owner | undefined => owner,
    /** Like `owner`, but throws StorageFailure when this node does not own the log. */
    owning(): Owner {
      if (owner === undefined) throw new StorageFailure('this node does not own the log')
      return owner
    },
    /** Waits for writes that are under way, and writes nothing from then on. */
    async end(): Promise<void> {
      await owner?.settled()
      owner = undefined
    },
  }
}
export type Ownership = ReturnType<typeof createOwnership>
