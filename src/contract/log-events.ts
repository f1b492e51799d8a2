// The events of the log as a whole.
export const logStream = 'log'

/** The log continues from here, although clients may have seen later events that it does not hold any more. */
export type LogResumed = {
  /** The last known position before that loss; null: no position beyond this event is known. */
  old_head: number | null
  reason: 'restored' | 'loss_accepted'
}
