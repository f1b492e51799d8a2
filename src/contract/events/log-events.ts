// The events of the log as a whole.
export const logStream = 'log'

/**
 * The log was restored, or continues after a loss. Clients may have seen later events that are no longer in the log.
 */
export type LogResumed = {
  /** The highest position that the log is known to have had. Null: no position after this event is known. */
  old_head: number | null
  reason: 'restored' | 'loss_accepted'
}
