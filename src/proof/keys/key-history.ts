// Reads the keys of a log from its events, and makes the event that changes the key. So the log proves its own keys.

import { auditKeyEvents } from '../../contract/decoders/audit-key.ts'
import { type AuditKeyChanged, auditKeyStream } from '../../contract/events/audit-key-events.ts'
import type { Log } from '../../contract/stored.ts'
import { keyChangeText } from '../note/key-change.ts'
import { readVerifierKey, type SigningKey, type VerifierKey } from '../note/keys.ts'
import { writeNote } from '../note/note.ts'
import { signatureOf } from '../note/signing.ts'

/** A key, and the size of the smallest tree whose checkpoints it signs. */
export type KnownKey = { key: VerifierKey; from: number }

/** The keys of a log, the oldest first. Rejects with DamagedEvent. */
export const keysOf = async (log: Pick<Log, 'readStream'>): Promise<KnownKey[]> => {
  const known: KnownKey[] = []
  for await (const page of log.readStream(auditKeyStream))
    for (const event of page) {
      const { position, data } = auditKeyEvents.read(event)
      known.push({ key: readVerifierKey(data.vkey), from: position })
    }
  return known
}

/** The event that changes the key of a log. `signers`: the old key if the server still has it, then the new key. */
export const keyChange = ({
  old,
  next,
  signers,
}: {
  old: VerifierKey | undefined
  next: VerifierKey
  signers: readonly SigningKey[]
}): { type: 'AuditKeyChanged'; data: AuditKeyChanged } => {
  const text = keyChangeText(next.name, old?.text, next.text)
  const note = writeNote({ text, signatures: signers.map(key => signatureOf(text, key)) })
  const data: AuditKeyChanged = { vkey: next.text, old_vkey: old?.text ?? null, note }
  return { type: 'AuditKeyChanged', data }
}
