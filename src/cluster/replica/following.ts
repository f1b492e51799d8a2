// Follows the shared log on a node which does not own it. When keys are missing, it waits for them. When the shared log
// is not the one that was read before, because its servers have lost records, it is read from the first record on. When
// following fails, it is tried again for ever: what is wrong is a condition until records can be taken again.
import type { Timers } from '../../contract/ports.ts'
import type { Store } from '../../log/store.ts'
import type { Conditions } from '../conditions.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'
import {
  type Following,
  MissingRecord,
  type SharedLog,
  type SharedRecord,
  UnfitRecord,
} from '../shared-log.ts'
import { LacksKeys, UnsharedEvents } from './errors.ts'
import type { Intake } from './intake.ts'
import { endTroubles, isOfDisk, isOtherNow, noteTrouble } from './log-conditions.ts'

/** Milliseconds between two checks: does the owner lack events, and does the log still have the last record? */
const lookMs = 1000
/** After this many checks, a record that cannot be found counts as lost. One reading alone may be outdated. */
const looksUntilLost = 2
/** Milliseconds until following is tried again after it has failed. */
const againMs = 2000

const noRoom = Object.assign(new Error('it took none when this node owned the log'), { code: 'ENOSPC' })

export type FollowingDeps = {
  local: Pick<Store, 'reopen'>
  shared: SharedLog
  intake: Intake
  keys: Pick<StreamKeys, 'stored'>
  conditions: Conditions
  timers: Timers
}

/** Throws when the last claim stands at the end of the log, and the node that claimed has fewer events than this node. */
export const mustKnowNoMore = (intake: Pick<Intake, 'head' | 'at' | 'claim'>): void => {
  const claim = intake.claim()
  const known = Math.max(claim?.position ?? 0, intake.at().position)
  if (claim?.mark.sequence === intake.at().sequence && intake.head() > known)
    throw new UnsharedEvents(intake.head() - known, claim.node)
}

/** The record that could not be taken; 0: the error is not that of a record. */
const barrierOf = (error: unknown): number =>
  error instanceof UnfitRecord || error instanceof MissingRecord ? error.sequence : 0

export const startFollowing = (deps: FollowingDeps): Following => {
  const { local, shared, intake, keys, conditions, timers } = deps
  let isStopped = false
  let missing = 0
  let end = () => {}
  const stopped = new Promise<void>(resolve => {
    end = resolve
  })
  /** The present following of the shared log. What a former one says no longer counts. */
  let current: Following | undefined
  let turn = 0
  /** Ends the wait of the present following for keys. */
  let release = () => {}
  /** The record whose keys are missing. */
  let sealed: SharedRecord | undefined
  /** Where the log ended when this node began to read it. */
  let goal: number | undefined
  let mending: Promise<void> | undefined
  let isLooking = false
  /** The record at which following has failed. What is wrong with the log lasts until this one was taken. */
  let barrier = 0

  /** `left` resolves when this following no longer counts. */
  const take = async (records: SharedRecord[], isPresent: () => boolean, left: Promise<void>) => {
    while (isPresent()) {
      const known = intake.at().sequence
      try {
        await intake.take(records.filter(({ sequence }) => sequence > known))
        sealed = undefined
        if (intake.at().sequence >= barrier) endTroubles(conditions)
        return conditions.end('records-sealed')
      } catch (error) {
        if (!(error instanceof LacksKeys)) throw error
        sealed = records.find(({ sequence }) => sequence === intake.at().sequence + 1)
        conditions.begin('records-sealed', `this node cannot read on: ${error.message}`)
        await Promise.race([keys.stored(), left])
      }
    }
  }
  const rewind = async (): Promise<void> => {
    conditions.begin('catching-up', 'this node reads the shared log again, from its first record')
    goal = undefined
    await intake.rewind()
  }
  /** Prepares the next try. Rejects when the disk takes no writes yet. */
  const mend = async (error: unknown): Promise<void> => {
    if (isOtherNow(error)) return rewind()
    if (!isOfDisk(error)) return
    await local.reopen() // this writes as much as a commit of many events does
    await intake.restart()
    conditions.end('storage-fails')
  }
  const later = (): Promise<unknown> =>
    Promise.race([new Promise<void>(resolve => void timers.after(againMs, resolve)), stopped])
  const tryAgain = async (failure: unknown): Promise<void> => {
    for (let error: unknown = failure; error !== undefined && !isStopped; ) {
      barrier = barrierOf(error)
      noteTrouble(conditions, error)
      await later()
      error = isStopped
        ? undefined
        : await mend(error).then(
            () => undefined,
            (next: unknown) => next ?? error,
          )
    }
  }
  /** Follows again when this work is done. */
  const startAfter = (work: Promise<void>): Promise<void> => {
    mending = work.then(start).finally(() => {
      mending = undefined
    })
    return mending
  }
  const ended = (error: unknown, of: number): void => {
    if (!isStopped && of === turn) void startAfter(tryAgain(error))
  }
  const start = (): void => {
    if (isStopped) return
    const mine = ++turn
    const left = new Promise<void>(resolve => {
      release = resolve
    })
    const isPresent = () => !isStopped && mine === turn
    sealed = undefined
    current = shared.follow(
      intake.at().sequence,
      records => take(records, isPresent, left),
      error => ended(error, mine),
    )
  }
  /** Ends the present following, also while it waits for keys. */
  const leave = async (): Promise<void> => {
    turn++
    release()
    await current?.stop()
  }
  /** Whether the shared log no longer has the record whose keys are missing: nobody may have these keys any more. */
  const isGone = async (record: SharedRecord): Promise<boolean> => {
    const [there] = await shared.read(record.sequence - 1, 1)
    return there === undefined || !Buffer.from(there.bytes).equals(record.bytes)
  }
  /** Whether the log still has what was read of it. One reading alone may be outdated. */
  const isLost = async (isThere: Promise<boolean>): Promise<boolean> => {
    missing = (await isThere) ? 0 : missing + 1
    if (missing < looksUntilLost || mending !== undefined || isStopped) return false
    missing = 0
    return true
  }
  /** Reads everything again, when the end was reached and the last record was missing in several checks. */
  const look = async (): Promise<void> => {
    if (mending !== undefined || conditions.has('log-lost')) return // there is nothing to look at
    if (sealed !== undefined) {
      if (await isLost(isGone(sealed).then(is => !is))) await startAfter(leave())
      return
    }
    const tail = await shared.tail()
    if (isStopped || mending !== undefined) return
    // When the stream is made again, its new end may lie before the old one.
    if (tail > 0) goal = Math.min(goal ?? tail, tail)
    if (goal !== undefined && intake.at().sequence >= goal) conditions.end('catching-up')
    if (tail > intake.at().sequence) return
    // A stream that was made again may end before the record at which following has failed.
    if (barrier > tail) endTroubles(conditions)
    barrier = 0
    mustKnowNoMore(intake)
    conditions.end('events-unshared')
    if (await isLost(intake.isSame())) await startAfter(leave().then(rewind))
  }
  const cancel = timers.every(lookMs, () => {
    if (isLooking) return
    isLooking = true
    look()
      .catch(error => {
        if (!isStopped && error instanceof UnsharedEvents) noteTrouble(conditions, error)
      })
      .finally(() => {
        isLooking = false
      })
  })
  // An owner whose disk took no writes is a standby only when it does again.
  if (conditions.has('storage-fails')) ended(noRoom, turn)
  else start()
  return {
    async stop(): Promise<void> {
      isStopped = true
      cancel()
      end()
      release()
      await current?.stop()
      await mending
    },
  }
}
