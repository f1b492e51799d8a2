// The events of the key with which the server signs checkpoints of the log.
export const auditKeyStream = 'audit-key'

/** From the position of this event on, checkpoints are signed with the key `vkey`. */
export type AuditKeyChanged = {
  /** The key, as the text of a verifier key. */
  vkey: string
  /** The previous key. Null: `vkey` is the first key. */
  old_vkey: string | null
  /**
   * A signed note that names the log and both keys. Both keys have signed the note. If the old key was lost, or if
   * there was none, only the new key has signed.
   */
  note: string
}
