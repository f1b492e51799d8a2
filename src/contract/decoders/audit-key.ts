// The events of the key that signs checkpoints, read from their stream.
import { type AuditKeyChanged, auditKeyStream } from '../events/audit-key-events.ts'
import { decoderOf } from './decoder.ts'

export type AuditKeyEvent = { type: 'AuditKeyChanged'; data: AuditKeyChanged }

export const auditKeyEvents = decoderOf<AuditKeyEvent>(
  'key of the log',
  stream => stream === auditKeyStream,
  ['AuditKeyChanged'],
)
