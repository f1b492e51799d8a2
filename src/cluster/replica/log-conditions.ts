// What keeps a node from reading or writing the shared log, as an operator sees it.
import { StorageFailure } from '../../contract/stored.ts'
import { isUnreadable, Unwritable } from '../../log/store.ts'
import { resultOf } from '../../platform/sqlite/errors.ts'
import type { ConditionCode, Conditions } from '../conditions.ts'
import { LostLog, LostTail, MissingRecord, UnfitRecord, Unknown } from '../shared-log.ts'
import { Divergence, UnsharedEvents } from './errors.ts'

/** The conditions that come from reading and writing the shared log. */
const codes: readonly ConditionCode[] = [
  'log-damaged',
  'log-lost',
  'log-differs',
  'events-unshared',
  'log-unwritten',
  'storage-fails',
]

/** What to do when the stream of the log is to be made again. */
export const makeAgain =
  'Nothing is lost while the owner has its log. Make the stream again from it: run "reprise cluster init --again" on the machine of the owner'

type Caused = { code?: unknown; cause?: unknown }

/** Whether a file beside the log is the reason, such as one of a workspace that an erasure removes. */
const isOfFile = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as Caused
  if (typeof code === 'string' && /^(EACCES|EPERM|EBUSY|EISDIR|ENOTDIR|ENOTEMPTY|EMFILE)$/.test(code))
    return true
  return cause !== undefined && isOfFile(cause)
}

/** Whether the disk of this node is the reason. */
export const isOfDisk = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as Caused
  if (typeof code === 'string' && /^(ENOSPC|EDQUOT|EIO|EROFS)/.test(code)) return true
  // The secrets and the keys of this node are in databases of their own.
  if (error instanceof Unwritable || isUnreadable(error) || resultOf(error) !== undefined) return true
  return cause !== undefined && isOfDisk(cause)
}

/** Whether the shared log is no longer the one that was read before, so that it must be read again. */
export const isOtherNow = (error: unknown): boolean =>
  error instanceof LostTail || (error instanceof UnfitRecord && error.isMisplaced)

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The condition for an error, and what it tells an operator. */
export const troubleOf = (error: unknown): { code: ConditionCode; text: string } => {
  const text = textOf(error)
  if (isOfFile(error))
    return {
      code: 'storage-fails',
      text: `a file of this node cannot be changed (${text}): look whose it is`,
    }
  if (error instanceof Divergence) return { code: 'log-differs', text }
  if (error instanceof UnsharedEvents) return { code: 'events-unshared', text }
  if (error instanceof LostLog) return { code: 'log-lost', text: `${text}. ${makeAgain}` }
  if (error instanceof MissingRecord || error instanceof UnfitRecord)
    return { code: 'log-damaged', text: `${text}. ${makeAgain}` }
  if (error instanceof LostTail)
    return {
      code: 'log-damaged',
      text: `${text}. This node reads the log again, and the owner fills it again`,
    }
  if (isOfDisk(error))
    return {
      code: 'storage-fails',
      text: `the disk of this node takes no writes (${text}): make room on it, or look what is wrong with it`,
    }
  if (error instanceof Unknown || error instanceof StorageFailure)
    return {
      code: 'log-unwritten',
      text: `the NATS servers store no record of this node (${text}): look whether their disks are full, and into their logs`,
    }
  return { code: 'log-damaged', text: `the shared log cannot be followed: ${text}` }
}

/** One error at a time keeps a node from the log, so this one ends what an earlier one has begun. */
export const noteTrouble = (conditions: Conditions, error: unknown): void => {
  const { code, text } = troubleOf(error)
  for (const other of codes) if (other !== code) conditions.end(other)
  conditions.begin(code, text)
}
/** Called when the shared log was read or written again. */
export const endTroubles = (conditions: Pick<Conditions, 'end'>): void => {
  for (const code of codes) conditions.end(code)
}
/** Called when this node has claimed the shared log, which an owner has read to its end. */
export const endWaiting = (conditions: Pick<Conditions, 'end'>): void => {
  endTroubles(conditions)
  for (const code of ['records-sealed', 'catching-up'] as const) conditions.end(code)
}
