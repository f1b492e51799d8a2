// The events of recorded reads (AUDIT_READS=1): which token was shown which tasks. Each day (UTC) has a stream.
export const accessStream = (day: string): string => `access-${day}`

export type ReadAccess = {
  /** The id of the token. */
  principal: string
  /** The method and the path of the operation, or `/ws` and the type of the message. */
  route: string
  /** The tasks that were shown, each once. */
  ids: string[]
  /** The number of answers and subscriptions that began. */
  count: number
}

/** Reads that were noted, and could not be stored while the log failed. */
export type ReadAccessLost = { count: number }
