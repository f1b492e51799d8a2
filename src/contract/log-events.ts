// The facts of the log as a whole.
export const logStream = 'log'

/** From here on the log goes on, though more than stands before this event may have been acknowledged in an earlier life. */
export type LogResumed = {
  /** The last position that is known of that life; null: nothing beyond this event is known of it. */
  old_head: number | null
  reason: 'restored' | 'loss_accepted'
}
