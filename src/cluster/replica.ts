// The log of one node as a copy of the shared log. A standby follows the shared log; the owner writes each batch first
// to the shared log, and then to its own files.
import { CannotStart } from '../contract/cannot-start.ts'
import type { Report, Timers } from '../contract/ports.ts'
import { StorageFailure } from '../contract/stored.ts'
import type { Store } from '../log/store.ts'
import type { Secrets } from '../platform/secrets.ts'
import { createTurns } from '../platform/turns.ts'
import type { Conditions } from './conditions.ts'
import type { StreamKeys } from './keys/stream-keys.ts'
import type { Node } from './replica/claiming.ts'
import { createCopiedSecrets } from './replica/copied-secrets.ts'
import { IsShorter, IsUnanswered, LacksErasure, LacksEvents, LacksKeys } from './replica/errors.ts'
import { createRecordFollower } from './replica/follower.ts'
import { createIntake } from './replica/intake.ts'
import { createListeners } from './replica/listeners.ts'
import { isOfDisk, noteTrouble } from './replica/log-conditions.ts'
import type { OtherLog } from './replica/longest.ts'
import { createOwnedSecrets, storedWith } from './replica/owned-secrets.ts'
import { createOwnedStore } from './replica/owned-store.ts'
import { createOwnership } from './replica/ownership.ts'
import { Fenced, type SharedLog } from './shared-log.ts'

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
  /** Paths of files that are published like secrets, by their refs. */
  files?: Record<string, string>
  stateFile: string
  node: Node
  /** The logs of the other nodes that this one knows; absent: it knows none. */
  others?: () => readonly OtherLog[]
  /** Whether this node holds the lease, so that it may claim the log again after a failure. */
  mayClaim: () => boolean
  conditions: Conditions
  timers: Timers
  report: Report
}

const mustBeCopyOf = (local: Store, logId: string): void => {
  const [id, events] = [local.logId(), local.last()?.position ?? 0]
  if (id !== logId)
    throw new CannotStart(
      `DATA_DIR has the log ${id} with ${events} events, and the shared log is ${logId}. Nothing was changed. If ${id} is the log of this cluster, somebody has begun its stream anew: run "reprise cluster init --again" on a machine whose node has ${id}. If this machine shall join ${logId}, start it with another DATA_DIR, and keep this one`,
    )
}

/** Errors that say what keeps this node from the log. */
const told = [Fenced, LacksKeys, LacksErasure, LacksEvents, IsShorter, IsUnanswered]

const asFailure = (error: unknown): never => {
  if (told.some(known => error instanceof known)) throw error
  throw new StorageFailure('the shared log cannot be claimed', { cause: error })
}

/** The lists of listeners of a replica. */
const createNews = () => ({
  applied: createListeners(),
  fenced: createListeners(),
  erasing: createListeners<[streams: readonly string[]], Promise<void>>(),
})

/** Throws CannotStart when the local log is another one than the shared log. */
export const createReplica = (deps: ReplicaDeps) => {
  const { local, logId, keys, files = {} } = deps
  let others = deps.others ?? (() => [])
  mustBeCopyOf(local, logId)
  const news = createNews()
  const copied = createCopiedSecrets(deps.secrets, keys, files)
  const owned = createOwnedSecrets(deps.secrets)
  const { call: applied } = news.applied
  const { callInTurn: erasing } = news.erasing
  const intake = createIntake({ ...deps, secrets: copied, applied, erasing })
  const ownership = createOwnership({
    ...{ ...deps, copied, owned, intake },
    others: () => others(),
    fenced: news.fenced.call,
  })
  const inTurn = createTurns()
  const store = createOwnedStore({
    ...{ local, keys, intake, ownership },
    reopen: () =>
      inTurn(ownership.claimAgain).catch(error => {
        // Without the lease, this node could not write anyway, and other conditions say why.
        if (isOfDisk(error) || (deps.mayClaim() && !(error instanceof Fenced)))
          noteTrouble(deps.conditions, error)
        throw error
      }),
  })
  const follower = createRecordFollower({ ...deps, intake })

  return {
    logId,
    /**
     * Ends writing. Resolves when no write is under way: from then on, only following and claiming add rows to the
     * local log.
     */
    rest: (): Promise<void> => inTurn(ownership.stepBack),
    /** Follows the shared log, beginning after the last record that this node has read. */
    follow: (): Promise<void> =>
      inTurn(async () => {
        if (follower.isFollowing()) return
        await ownership.stepBack()
        follower.start()
      }),
    /** The sequence and the position up to which the shared log is written to the files of this node. */
    caughtUp: () => ({ sequence: intake.stored().sequence, position: intake.stored().position }),
    /** How many events this node has. After the servers have lost records, the shared log may have fewer. */
    events: (): number => Math.max(intake.head(), intake.stored().position),
    /** Says how this node learns how long the logs of other nodes are. To be called before it claims the log. */
    compareWith(logs: () => readonly OtherLog[]): void {
      others = logs
    },
    /** Adds a listener, which is called when rows from the shared log were added to the local log. */
    onApplied: news.applied.add,
    /**
     * Adds a listener, which is called before payloads of these streams are destroyed here because the owner has erased
     * them. The listener removes what the payloads name, such as files.
     */
    onErasing: news.erasing.add,
    /** Adds a listener, which is called when the log has refused a write: another node owns it. */
    onFenced: news.fenced.add,
    /** The last claim of the log that this node has read. */
    owner: () => intake.claim(),
    /**
     * Ends the following and claims the log. Resolves to the sequence of the claim when the local log has everything that stands before
     * the claim, and the shared log has everything that the local log has. Rejects with LacksKeys, LacksErasure,
     * LacksEvents, IsShorter, IsUnanswered, Fenced and StorageFailure.
     */
    claim: (): Promise<number> =>
      inTurn(async () => {
        await follower.stop()
        await ownership.stepBack()
        return ownership.claim()
      }).catch(asFailure),
    /** The store of the owner. */
    store,
    /** The secrets of the owner. */
    secrets: storedWith(owned.secrets, async () => ownership.owning().putSecrets(owned.changed())),
    /** Notes that one of `files` has changed. It is published before the next batch. */
    noteFile: owned.note,
    /** Publishes secrets that have changed, without a batch. */
    putSecrets: async (): Promise<void> => ownership.owner()?.putSecrets(owned.changed()),
    /** Ends following and writing, and saves how far the log was read. The local log stays open. */
    stop: (): Promise<void> =>
      inTurn(async () => {
        await follower.stop()
        await ownership.end()
        await intake.stop()
      }),
  }
}
export type Replica = ReturnType<typeof createReplica>
