// The bodies of responses about the log: the audit trail, proofs, erasures and holds.
import Type from 'typebox'
import { ErasureSubject, NotErased } from './events/erasure-events.ts'
import { HoldSubject } from './events/hold-events.ts'
import { listOf } from './wire/list.ts'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })

/**
 * `payload` is the stored text, and `data` is the value that this JSON text holds. `leaf_hash` is made from `header`.
 */
export const AuditEvent = Type.Object({
  position: Type.Integer({ minimum: 1 }),
  stream: Text,
  revision: Count,
  type: Text,
  schema_version: Type.Integer({ minimum: 1 }),
  time: Type.String({ format: 'date-time' }),
  principal: Text,
  correlation_id: Text,
  causation_id: Text,
  data: Type.Unknown(),
  leaf_hash: Text,
  header: Text,
  payload: Type.Union([Text, Type.Null()]),
  salt: Type.Union([Text, Type.Null()]),
  erased: Type.Optional(Type.Literal(true)),
  erased_by: Type.Optional(Type.Integer({ minimum: 1 })),
})
export const AuditEventList = listOf(AuditEvent)
export const StreamSummary = Type.Object({
  stream: Text,
  revision: Count,
  first_position: Type.Integer({ minimum: 1 }),
  last_position: Type.Integer({ minimum: 1 }),
  last_type: Text,
  owner: Text,
})
export const AuditStreamList = listOf(StreamSummary)
export const InclusionProof = Type.Object({
  position: Type.Integer({ minimum: 1 }),
  leaf_index: Count,
  tree_size: Type.Integer({ minimum: 1 }),
  leaf: Text,
  hashes: Type.Array(Text),
})
export const ConsistencyProof = Type.Object({ from: Count, to: Count, hashes: Type.Array(Text) })
export const AuditKey = Type.Object({ key: Text, first_size: Type.Integer({ minimum: 1 }) })

export const Erasure = Type.Object({
  erasure_id: Text,
  position: Type.Integer({ minimum: 1 }),
  time: Type.String({ format: 'date-time' }),
  reason: Text,
  by: Text,
  subject: ErasureSubject,
  erased: Type.Object({
    tasks: Type.Array(Text),
    env_sessions: Type.Array(Text),
    cron_jobs: Type.Array(Text),
  }),
  not_erased: Type.Array(NotErased),
})
export const Hold = Type.Object({
  hold_id: Text,
  ...HoldSubject.properties,
  reason: Text,
  by: Text,
  placed_at: Type.String({ format: 'date-time' }),
})
export const HoldList = listOf(Hold)
