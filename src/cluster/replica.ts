// The log of one node as a copy of the shared log. A standby follows the shared log; the owner writes to it, each batch
// there first, and then to its own files.
import { CannotStart } from '../contract/cannot-start.ts'
import type { Report, Timers } from '../contract/ports.ts'
import { StorageFailure } from '../contract/stored.ts'
import type { Store } from '../log/store.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { StreamKeys } from './keys/stream-keys.ts'
import { type Claiming, createClaiming, type Node } from './replica/claiming.ts'
import { createCopiedSecrets } from './replica/copied-secrets.ts'
import { destroyKeys } from './replica/erasures.ts'
import { LacksKeys } from './replica/errors.ts'
import { startFollowing } from './replica/following.ts'
import { createIntake } from './replica/intake.ts'
import { createOwnedSecrets } from './replica/owned-secrets.ts'
import { createOwner, type Owner } from './replica/owner.ts'
import { createPublisher } from './replica/publisher.ts'
import { refillings } from './replica/refill.ts'
import { Fenced, type Following, type SharedLog } from './shared-log.ts'

export type ReplicaDeps = {
  /** The log of this node. Nothing else writes to it. Its id is `logId`. */
  local: Store
  shared: SharedLog
  /** The id of the shared log (beginning.ts). */
  logId: string
  /** The key that signs records. */
  key: Buffer
  keys: StreamKeys
  secrets: Secrets
  /** Paths of files that travel like secrets, by their refs. */
  files?: Record<string, string>
  stateFile: string
  node: Node
  /** Whether this node holds the lease, so that it may claim the log again after a failure. */
  mayClaim: () => boolean
  timers: Timers
  report: Report
}

/** Runs one piece of work after the other. */
const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
}

/** Throws CannotStart when the local log is another one than the shared log. */
export const createReplica = (deps: ReplicaDeps) => {
  const { local, shared, logId, key, keys, files = {}, node, mayClaim, timers, report } = deps
  if (local.logId() !== logId)
    throw new CannotStart(
      `the log of this node (${local.logId()}) is not the shared log (${logId}): use an empty DATA_DIR, which is filled from the shared log`,
    )
  const copied = createCopiedSecrets(deps.secrets, keys, files)
  const owned = createOwnedSecrets(deps.secrets)
  const appliedListeners: (() => void)[] = []
  const fencedListeners: (() => void)[] = []
  const failedListeners: ((error: unknown) => void)[] = []
  const erasingListeners: ((streams: readonly string[]) => Promise<void>)[] = []
  const applied = () => {
    for (const listener of appliedListeners) listener()
  }
  const erasing = async (streams: readonly string[]): Promise<void> => {
    for (const listener of erasingListeners) await listener(streams)
  }
  const intake = createIntake({ ...deps, secrets: copied, applied, erasing })
  const claiming: Claiming = createClaiming({ shared, key, intake, node, timers })
  const inTurn = createTurns()
  let owner: Owner | undefined
  const follows: { now?: Following | undefined } = {}
  /** The last owner, whose records may still be under way. */
  let latest: Owner | undefined

  const fenced = (): void => {
    owner = undefined
    for (const listener of fencedListeners) listener()
  }
  const failed = (error: unknown): void => {
    if (error instanceof Fenced) fenced()
  }
  const stopFollowing = async (): Promise<void> => {
    await follows.now?.stop()
    follows.now = undefined
  }
  /** Stops writing, and reads again from where no work is open. */
  const stepBack = async (): Promise<void> => {
    owner = undefined
    await latest?.settled()
    if (latest !== undefined) await intake.restart()
    latest = undefined
  }
  /** Publishes what the shared log lacks. */
  const refill = async (own: Owner): Promise<void> => {
    for (const each of refillings(local, intake.at().position)) await own.refill(each)
    owned.changed() // the differences have these
    await own.putSecrets(copied.differences())
  }
  const claimNow = async (): Promise<number> => {
    const epoch = await claiming.claim()
    keys.make(epoch)
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
    return epoch
  }
  const asFailure = (error: unknown): never => {
    if (error instanceof Fenced || error instanceof LacksKeys) throw error
    throw new StorageFailure('the shared log cannot be claimed', { cause: error })
  }
  const owning = (): Owner => {
    if (owner === undefined) throw new StorageFailure('this node does not own the log')
    return owner
  }
  const reopen = async (): Promise<void> => {
    await stepBack()
    await local.reopen()
    await intake.restart()
    await claiming.readToEnd()
    if (!claiming.isMine()) {
      fenced()
      throw new Fenced(`${intake.claim()?.node ?? 'nobody'} owns the log`)
    }
    if (!mayClaim()) throw new StorageFailure('this node may not claim the log at present')
    await claimNow()
  }

  const store: Store = {
    ...local,
    write: async batch => owning().write(batch),
    writePiece: async piece => owning().writePiece(piece),
    dropPieces: async payload => owning().dropPieces(payload),
    async destroy(by, after) {
      const destroyed = await local.destroy(by, after)
      if (destroyed.next === undefined) destroyKeys(local, keys, by)
      return destroyed
    },
    reopen: () => inTurn(reopen),
    async close() {
      await owner?.settled()
      await intake.save()
      await local.close()
    },
  }

  return {
    logId,
    /** Follows the shared log, in order, from where it was left. */
    follow: (): Promise<void> =>
      inTurn(async () => {
        if (follows.now !== undefined) return
        await stepBack()
        const stopped = (error: unknown) => {
          report('error', 'the shared log is not followed any more', { error: String(error) })
          for (const listener of failedListeners) listener(error)
        }
        follows.now = startFollowing({ shared, intake, keys, timers, report, failed: stopped })
      }),
    /** Up to where the files of this node have the shared log. */
    caughtUp: () => ({ sequence: intake.stored().sequence, position: intake.stored().position }),
    /** Adds a listener, which is called when rows were added to the local log by others. */
    onApplied: (listener: () => void): void => void appliedListeners.push(listener),
    /**
     * Adds a listener, which is called before payloads of these streams are destroyed here because the owner has erased
     * them. It removes what the payloads name.
     */
    onErasing: (listener: (streams: readonly string[]) => Promise<void>): void =>
      void erasingListeners.push(listener),
    /** Adds a listener, which gets the error with which following ended. */
    onFailed: (listener: (error: unknown) => void): void => void failedListeners.push(listener),
    /** Adds a listener, which is called when the log has refused a write: another node owns it. */
    onFenced: (listener: () => void): void => void fencedListeners.push(listener),
    /** Who claimed the log last, as far as this node has read. */
    owner: () => intake.claim(),
    /**
     * Ends the following and claims the log. Resolves to the epoch when the local log has everything before it, and the
     * shared log everything that the local log has. Rejects with LacksKeys, Fenced and StorageFailure.
     */
    claim: (): Promise<number> =>
      inTurn(async () => {
        await stopFollowing()
        await stepBack()
        return claimNow()
      }).catch(asFailure),
    /** The store of the owner. */
    store,
    /** The secrets of the owner. */
    secrets: owned.secrets,
    /** Publishes the files among `files` that have changed, before the next batch. */
    noteFile: owned.note,
    /** Publishes secrets that have changed, without a batch. */
    putSecrets: async (): Promise<void> => owner?.putSecrets(owned.changed()),
    /** Ends following and writing, and saves how far the log was read. The local log stays open. */
    stop: (): Promise<void> =>
      inTurn(async () => {
        await stopFollowing()
        await owner?.settled()
        owner = undefined
        await intake.stop()
      }),
  }
}
export type Replica = ReturnType<typeof createReplica>
