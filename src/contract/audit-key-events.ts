// The events of the key with which the server signs checkpoints of the log.
export const auditKeyStream = 'audit-key'

/** From the position of this event on, checkpoints are signed with another key, or with the first one. */
export type AuditKeyChanged = {
  /** The key, as the text of a verifier key. */
  vkey: string
  /** The key before it. Null: this is the first key. */
  old_vkey: string | null
  /**
   * A signed note that names the log and both keys. Both have signed it; when the old key was lost, or when there was
   * none, only the new one has.
   */
  note: string
}
